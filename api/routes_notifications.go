package api

import (
	"github.com/redline-svc/redline/api/collaboration"
	"github.com/redline-svc/redline/api/rpc"
)

// notificationRoutes are the operations on what people were told, and want to be told of.
func notificationRoutes(h Handlers) []rpc.Route {
	const one = `"ntf_01kdvm9w00abcdefghjkmnpqrs"`
	return []rpc.Route{
		rpc.Post("/v2/notifications/add", h.Notifications.Add, rpc.Once("notificationId"), rpc.Summary("Notify users of something that is about no comment"),
			rpc.Example(`{"organizationId":"acme","documentId":"spring","actionUser":{"userId":"u_ann","name":"Ann"},"notifyUsers":[{"userId":"u_bob"}],
"displayHeadlineMessageTemplate":"{actionUser.name} printed {what}","displayHeadlineMessageTemplateData":{"what":"the flyer"},"displayBodyMessage":"Two hundred copies."}`,
				`{"status":"success","message":"Users notified.","data":{"notificationId":`+one+`,"recipients":1}}`)),
		rpc.Post("/v2/notifications/get", h.Notifications.Get, page, rpc.Lists(), rpc.Summary("List notifications, newest first"),
			rpc.Example(`{"organizationId":"acme","userId":"u_bob","unreadOnly":true}`, collaboration.ExampleNotifications)),
		rpc.Post("/v2/notifications/update", h.Notifications.Update, rpc.Selects(), rpc.Summary("Mark notifications as read, and change what a caller says in those that it added"),
			rpc.Example(`{"organizationId":"acme","notifications":[{"id":`+one+`,"readByUserIds":["u_bob"]}]}`, collaboration.ExampleNotificationsUpdated),
			rpc.Example(`{"organizationId":"acme","userId":"u_bob","allRead":true}`, `{"status":"success","message":"Notifications updated.","updated":3,"data":{}}`)),
		rpc.Post("/v2/notifications/delete", h.Notifications.Delete, rpc.PastQuota(), rpc.Selects(), rpc.Summary("Delete notifications, or the entries of a user"),
			rpc.Example(`{"organizationId":"acme","notificationIds":[`+one+`]}`, collaboration.ExampleNotificationsDeleted)),
		rpc.Post("/v2/notifications/config/set", h.Notifications.SetConfig, rpc.Summary("Set what users want to be told of"),
			rpc.Example(`{"organizationId":"acme","userIds":["u_bob"],"documentIds":["spring"],"config":{"inbox":"ALL"}}`, collaboration.ExamplePreferencesSet)),
		rpc.Post("/v2/notifications/config/get", h.Notifications.GetConfig, rpc.Summary("Read what a user wants to be told of"),
			rpc.Example(`{"organizationId":"acme","userId":"u_bob","documentIds":["spring"]}`, collaboration.ExamplePreferences)),
	}
}
