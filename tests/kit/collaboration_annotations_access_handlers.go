package kit

import ()

// Checked makes an add ask whether its authors may write.
func Checked(data map[string]any) map[string]any {
	data["verifyUserPermissions"] = true
	return data
}
