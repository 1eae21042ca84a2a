package pattern

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// triangle holds the distances of each two of a row of things, those of the second
// to the first, of the third to the first two, and so on.
type triangle []float32

// pairs is how many distances n things have.
func pairs(n int) int { return n * (n - 1) / 2 }

// between is the distance of two different things.
func (t triangle) between(i, j int) *float32 { return &t[pairs(max(i, j))+min(i, j)] }

// distance of two judgments: the mean of the cosine distances of review and content,
// or that of review where one has no content. 0 to 2.
func distance(a, b Member) float32 {
	d := cosine(dot(a.Review, b.Review))
	if a.Content == nil || b.Content == nil {
		return d
	}
	return (d + cosine(dot(a.Content, b.Content))) / 2
}

// cosine is the cosine distance of two unit vectors with that product. Rounding
// must not make it negative.
func cosine(product float32) float32 { return max(0, 1-product) }

func dot(a, b []float32) float32 {
	return blas32.Dot(blas32.Vector{N: len(a), Inc: 1, Data: a}, blas32.Vector{N: len(b), Inc: 1, Data: b})
}

// side is how many judgments are compared with as many others at once: enough for
// gonum to use all cores, and few enough that what is copied stays near 3 MB.
const side = 512

// tile is a square of the comparison of all judgments with all: those of its rows
// with those of its columns.
type tile struct{ rows, columns, products []float32 }

// measure computes the distances of each two judgments.
func (d *Detector) measure(ctx context.Context, members []Member) error {
	review, content := widths(members)
	d.distances = slices.Grow(d.distances[:0], pairs(len(members)))[:pairs(len(members))]
	clear(d.distances)
	err := d.tile.compare(ctx, members, review, func(m Member) []float32 { return m.Review }, func(at int, distance float32) {
		d.distances[at] = pack(distance, 0)
	})
	if err == nil && content > 0 {
		err = d.tile.compare(ctx, members, content, func(m Member) []float32 { return m.Content }, func(at int, distance float32) {
			review, _ := unpack(d.distances[at])
			d.distances[at] = pack(review, distance)
		})
	}
	if err != nil {
		return err
	}
	r := d.relation(members)
	r.weigh()
	return r.relate(ctx, d.outstanding(total(r.weights)))
}

// finest is how many parts of a cosine distance of 2 are told apart while two are in one place: as
// many as make no number that is none.
const finest = 0x7f7f

// pack puts the distances of review and content in the place of one, so that memory is needed for
// one of them.
func pack(review, content float32) float32 {
	part := func(distance float32) uint32 { return uint32(min(2, distance)/2*finest + 0.5) }
	return math.Float32frombits(part(review)<<16 | part(content))
}

func unpack(packed float32) (review, content float32) {
	distance := func(part uint32) float32 { return float32(part) * 2 / finest }
	return distance(math.Float32bits(packed) >> 16), distance(math.Float32bits(packed) & 0xffff)
}

// row is that of the ith thing, with the distances to those before it.
func (t triangle) row(i int) triangle { return t[pairs(i):pairs(i+1)] }

// compare visits the cosine distances of one vector of each two judgments by their place.
func (t *tile) compare(ctx context.Context, members []Member, width int, vector func(Member) []float32, visit func(at int, distance float32)) error {
	for top := 0; top < len(members); top += side {
		for left := 0; left <= top; left += side {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows, columns := members[top:min(top+side, len(members))], members[left:min(left+side, len(members))]
			t.multiply(rows, columns, width, vector)
			t.each(rows, columns, top, left, func(i, j int, product float32) { visit(pairs(i)+j, cosine(product)) })
		}
	}
	return nil
}

// multiply computes the products of one vector of the rows with that of the columns.
func (t *tile) multiply(rows, columns []Member, width int, vector func(Member) []float32) {
	t.rows, t.columns = gather(t.rows, rows, width, vector), gather(t.columns, columns, width, vector)
	t.products = slices.Grow(t.products[:0], len(rows)*len(columns))[:len(rows)*len(columns)]
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(t.rows, len(rows)), matrix(t.columns, len(columns)), 0, matrix(t.products, len(rows)))
}

func matrix(data []float32, rows int) blas32.General {
	columns := len(data) / rows
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
}

// gather writes vectors one after the other; one that is not there is all zeros.
func gather(into []float32, members []Member, width int, vector func(Member) []float32) []float32 {
	into = slices.Grow(into[:0], len(members)*width)[:len(members)*width]
	clear(into)
	for i, m := range members {
		copy(into[i*width:], vector(m))
	}
	return into
}

// each visits the products below the diagonal of the whole comparison, i being above
// j in the order of judgments.
func (t *tile) each(rows, columns []Member, top, left int, visit func(i, j int, product float32)) {
	for row := range rows {
		products := t.products[row*len(columns):]
		for column := range min(len(columns), top+row-left) {
			visit(top+row, left+column, products[column])
		}
	}
}
