package corpus

import (
	"encoding/binary"
	"math"
)

// Floats reads a vector as it stands in the rows.
func Floats(raw []byte) []float32 {
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// Mixed is the unit vector that lies between two unit vectors; share is how much of
// it the other one has, from 0 to 1.
func Mixed(one, other []float32, share float64) []float32 {
	between := make([]float32, len(one))
	var sum float64
	for i := range between {
		value := (1-share)*float64(one[i]) + share*float64(other[i])
		between[i], sum = float32(value), sum+value*value
	}
	for i := range between {
		between[i] /= float32(math.Sqrt(sum))
	}
	return between
}

// Farthest is the cosine distance of the last of the n vectors that are nearest to
// the question, found by looking at all of them.
func Farthest(vectors [][]float32, question []float32, n int) float64 {
	nearest := make([]float64, 0, n+1)
	for _, v := range vectors {
		var cosine float64
		for i := range v {
			cosine += float64(v[i]) * float64(question[i])
		}
		at := len(nearest)
		for at > 0 && nearest[at-1] > 1-cosine {
			at--
		}
		if at < n {
			nearest = append(nearest[:at], append([]float64{1 - cosine}, nearest[at:]...)...)
			nearest = nearest[:min(len(nearest), n)]
		}
	}
	return nearest[len(nearest)-1]
}
