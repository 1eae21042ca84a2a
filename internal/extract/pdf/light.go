package pdf

import (
	"context"
	"reflect"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// lighten makes many small calls of an instance cheap. The library looks each
// function up anew, with a stack of its own, and allocates inside PDFium for
// each value that a call gives; that costs more than the calls themselves.
// Where the library keeps its parts otherwise, nothing changes, and it says so.
func lighten(instance pdfium.Pdfium) bool {
	parts := reflect.Indirect(reflect.ValueOf(instance.GetImplementation()))
	if parts.Kind() != reflect.Struct {
		return false
	}
	module, ok := part[api.Module](parts, "Module")
	functions, found := part[map[string]api.Function](parts, "Functions")
	if !ok || !found || (*functions)["malloc"] == nil || (*functions)["free"] == nil {
		return false
	}
	*module = lightModule{Module: *module, known: map[string]api.Function{}}
	lightenMemory(*functions)
	return true
}

// part gives the offset of a field of a struct, if it has that type.
func part[T any](parts reflect.Value, name string) (*T, bool) {
	field := parts.FieldByName(name)
	if !field.IsValid() || !field.CanSet() {
		return nil, false
	}
	return reflect.TypeAssert[*T](field.Addr())
}

// lightModule looks each function up once. An instance makes one call at a
// time, so they may have one stack each.
type lightModule struct {
	api.Module

	known map[string]api.Function
}

// ExportedFunction gives the function of the name, the same one each time.
func (m lightModule) ExportedFunction(name string) api.Function {
	f, ok := m.known[name]
	if !ok {
		f = m.Module.ExportedFunction(name)
		m.known[name] = f
	}
	return f
}

const (
	// spaces are how many small values have memory at once, of spaceSize bytes
	// each: more than any call needs.
	spaces, spaceSize = 16, 128
)

// memory lends small pieces of one block that it has inside PDFium.
type memory struct {
	malloc, free api.Function
	block        uint64
	spare        []uint64
}

// lightenMemory replaces malloc and free by a memory.
func lightenMemory(functions map[string]api.Function) {
	m := &memory{malloc: functions["malloc"], free: functions["free"]}
	functions["malloc"], functions["free"] = lend{m.malloc, m}, giveBack{m.free, m}
}

// lend is malloc.
type lend struct {
	api.Function

	memory *memory
}

// Call gives the address of a piece of at least the size.
func (l lend) Call(ctx context.Context, params ...uint64) ([]uint64, error) {
	m := l.memory
	if m.block == 0 {
		given, err := m.malloc.Call(ctx, spaces*spaceSize)
		if err != nil || given[0] == 0 {
			return given, err
		}
		m.block = given[0]
		for i := range uint64(spaces) {
			m.spare = append(m.spare, m.block+i*spaceSize)
		}
	}
	last := len(m.spare) - 1
	if params[0] > spaceSize || last < 0 {
		return m.malloc.Call(ctx, params...)
	}
	given := m.spare[last]
	m.spare = m.spare[:last]
	return []uint64{given}, nil
}

// giveBack is free.
type giveBack struct {
	api.Function

	memory *memory
}

// Call takes back what lend gave.
func (g giveBack) Call(ctx context.Context, params ...uint64) ([]uint64, error) {
	m := g.memory
	if m.block == 0 || params[0] < m.block || params[0] >= m.block+spaces*spaceSize {
		return m.free.Call(ctx, params...)
	}
	m.spare = append(m.spare, params[0])
	return nil, nil
}
