package tools

import (
	"context"
	"encoding/json"
	"testing"
)

func TestSmoke(t *testing.T) {
	r := NewRegistry()
	type in struct {
		A int `json:"a"`
	}
	if _, err := r.Register(Define(Spec[in]{Name: "n", Execute: func(ctx context.Context, a in, tc *Context) (Result, error) {
		return TextResult("hi"), nil
	}})); err != nil {
		t.Fatal(err)
	}
	p := NewPipeline(r, nil)
	for _, a := range []string{`{"a":3.0}`, `{"a":"x","b":1}`, `{"a"`, `{"a":1,"a":2}`, ``} {
		b, _ := json.Marshal(p.ExecuteRaw(context.Background(), nil, Call{ID: "c", Name: "n", Arguments: a}))
		t.Log(string(b))
	}
	b, _ := json.Marshal(p.ExecuteRaw(context.Background(), nil, Call{ID: "c", Name: "m"}))
	t.Log(string(b))
}
