package rpc

import (
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// fillLists makes every list and map of an answer that is nil an empty one: it is
// written as [] or {} and never as null, whatever a store gave. Those tagged
// nullable stay, and so does what a pointer leads to.
func fillLists(result any) {
	v := reflect.ValueOf(result)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		planOf(v.Type().Elem()).fill(v.Elem())
	}
}

// plan says where values of a type have lists.
type plan struct {
	// list means that the value itself is one and must not be nil.
	list   bool
	fields []fieldPlan
	// elem is that of the elements of a pointer or a slice; nil where they have none.
	elem *plan
	// done is false while the plan is made, of a type that holds itself.
	done bool
}

type fieldPlan struct {
	index int
	of    *plan
}

var plans sync.Map // of *plan by reflect.Type; they follow from the types alone

func planOf(t reflect.Type) *plan {
	if made, ok := plans.Load(t); ok {
		return made.(*plan)
	}
	made := makePlan(t, false, map[reflect.Type]*plan{})
	plans.Store(t, made)
	return made
}

// makePlan makes the plan of a type; begun has those of the types around it,
// among which it may be itself.
func makePlan(t reflect.Type, mayBeNil bool, begun map[reflect.Type]*plan) *plan {
	if known := begun[t]; known != nil {
		return known
	}
	p := &plan{}
	switch {
	case t.Kind() == reflect.Struct:
		begun[t] = p
		for i := range t.NumField() {
			f := t.Field(i)
			if of := makePlan(f.Type, MayBeNull(f), begun); f.IsExported() && of.fills() {
				p.fields = append(p.fields, fieldPlan{i, of})
			}
		}
	case t.Kind() == reflect.Pointer, isList(t):
		p.list = isList(t) && !mayBeNil && writtenAsList(t)
		if of := makePlan(t.Elem(), true, begun); t.Kind() != reflect.Map && of.fills() {
			p.elem = of
		}
	}
	p.done = true
	return p
}

// writtenAsList reports whether a list is never null. One that documents itself may be
// something else than an array.
func writtenAsList(t reflect.Type) bool {
	own, ok := reflect.TypeAssert[huma.SchemaProvider](reflect.Zero(t))
	return !ok || own.Schema(huma.NewMapRegistry("", huma.DefaultSchemaNamer)).Type == huma.TypeArray
}

// fills reports whether there is, or may be, something to fill.
func (p *plan) fills() bool { return !p.done || p.list || p.fields != nil || p.elem != nil }

func (p *plan) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range p.fields {
			f.of.fill(v.Field(f.index))
		}
	case reflect.Pointer:
		if p.elem != nil && !v.IsNil() {
			p.elem.fill(v.Elem())
		}
	case reflect.Slice:
		if p.list && v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if p.elem != nil {
			for i := range v.Len() {
				p.elem.fill(v.Index(i))
			}
		}
	case reflect.Map:
		if p.list && v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	}
}
