package knowledge

import (
	"context"
	"time"
)

// The tasks that draw from a text, each with what it makes.
const (
	taskChunks = "draw-chunks"
	taskRules  = "draw-rules"
	taskAll    = "draw"
)

// UpdateTime is what the content of an update may take of the processor: its answer waits for
// that.
const UpdateTime = 20 * time.Second

// Task makes something of a text. Processor is what it may take of the processor, 0 for as much
// as a file of its size may.
type Task struct {
	Make      func(text string) (any, error)
	Processor time.Duration
}

// Tasks are the tasks by their names.
var Tasks = map[string]Task{
	taskChunks: {Make: func(text string) (any, error) { return DrawChunks(text) }},
	taskRules:  {Make: func(text string) (any, error) { return DrawRules(text) }},
	taskAll:    {Make: func(text string) (any, error) { return Draw(text) }, Processor: UpdateTime},
}

// Runner carries out a task on a text and reads what it makes into result (*confined.Program).
type Runner interface {
	Run(ctx context.Context, task string, text []byte, result any) error
}

// smallText is how many bytes a text has at most that is drawn from at once: whatever stands
// in it takes less of the processor than a process of its own takes to begin.
const smallText = 4 << 10

// Drawing draws from texts of callers where their cost is theirs alone. Errors of its methods:
// an *extract.Failure of the text.
type Drawing struct{ Runner Runner }

// Chunks draws the chunks of a canonical markdown.
func (d Drawing) Chunks(ctx context.Context, text []byte) ([]StoredChunk, error) {
	return draw[[]StoredChunk](ctx, d, taskChunks, text)
}

// Rules draws the rules of a canonical markdown.
func (d Drawing) Rules(ctx context.Context, text []byte) (DrawnRules, error) {
	return draw[DrawnRules](ctx, d, taskRules, text)
}

// All draws all from a markdown within UpdateTime.
func (d Drawing) All(ctx context.Context, text string) (Drawn, error) {
	return draw[Drawn](ctx, d, taskAll, []byte(text))
}

func draw[T any](ctx context.Context, d Drawing, task string, text []byte) (drawn T, err error) {
	if len(text) > smallText {
		err = d.Runner.Run(ctx, task, text, &drawn)
		return drawn, err
	}
	made, err := Tasks[task].Make(string(text))
	if err == nil {
		drawn = made.(T)
	}
	return drawn, err
}
