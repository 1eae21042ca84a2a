package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
)

const (
	// repaint is how often the line of open steps is painted on a terminal.
	repaint = 200 * time.Millisecond
	// signOfLife is how often an open step prints a line elsewhere.
	signOfLife = 10 * time.Second
	// lineWidth is what the painted line is cut to, so that it never wraps.
	lineWidth = 110
	// clearLine goes back to the line's beginning and empties it.
	clearLine = "\r\x1b[K"
)

// Console writes to one output.
type Console struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	steps    []*Step
	painting bool
}

// New makes a console for the file; a terminal gets a line painted again.
func New(out *os.File) *Console {
	return &Console{out: out, terminal: isatty.IsTerminal(out.Fd())}
}

// Quiet makes a console that writes plain lines to any writer.
func Quiet(out io.Writer) *Console {
	return &Console{out: out}
}

// Sayf prints one line.
func (c *Console) Sayf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print(fmt.Sprintf(format, args...))
}

// print writes a line above the painted one. The lock is held.
func (c *Console) print(line string) {
	if c.terminal {
		_, _ = io.WriteString(c.out, clearLine)
	}
	_, _ = fmt.Fprintln(c.out, line)
	c.paint()
}

// paint writes the open steps, on a terminal. The lock is held.
func (c *Console) paint() {
	if !c.terminal || len(c.steps) == 0 {
		return
	}
	words := make([]string, 0, len(c.steps))
	for _, step := range c.steps {
		words = append(words, step.line())
	}
	line := []rune(strings.Join(words, " | "))
	if len(line) > lineWidth {
		line = append(line[:lineWidth-1], '…')
	}
	_, _ = io.WriteString(c.out, clearLine+string(line))
}

// Step is something slow that has begun.
type Step struct {
	console *Console
	title   string
	begun   time.Time
	detail  string
	printed time.Time
}

// Begin opens a step.
func (c *Console) Begin(title string) *Step {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	step := &Step{console: c, title: title, begun: now, printed: now}
	c.steps = append(c.steps, step)
	if !c.terminal {
		c.print(title + " ...")
	}
	if !c.painting {
		c.painting = true
		go c.animate()
	}
	return step
}

// animate keeps the open steps visible until there is none.
func (c *Console) animate() {
	for range time.Tick(repaint) {
		c.mu.Lock()
		if len(c.steps) == 0 {
			c.painting = false
			c.mu.Unlock()
			return
		}
		c.paint()
		c.livelyLines()
		c.mu.Unlock()
	}
}

// livelyLines prints a sign of life of steps that have been silent, where lines are not painted again.
func (c *Console) livelyLines() {
	if c.terminal {
		return
	}
	for _, step := range c.steps {
		if time.Since(step.printed) >= signOfLife {
			step.printed = time.Now()
			c.print(step.line())
		}
	}
}

// line is how the step looks now.
func (s *Step) line() string {
	took := time.Since(s.begun).Round(time.Second)
	if s.detail == "" {
		return fmt.Sprintf("%s (%s)", s.title, took)
	}
	return fmt.Sprintf("%s (%s, %s)", s.title, took, s.detail)
}

// Detailf shows how far the step is, for example "312 of 900 packages".
func (s *Step) Detailf(format string, args ...any) {
	s.console.mu.Lock()
	defer s.console.mu.Unlock()
	s.detail = fmt.Sprintf(format, args...)
}

// End closes the step; a nil error prints that it is done and how long it took.
func (s *Step) End(err error) {
	c := s.console
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, step := range c.steps {
		if step == s {
			c.steps = append(c.steps[:i], c.steps[i+1:]...)
			break
		}
	}
	took := time.Since(s.begun).Round(100 * time.Millisecond)
	if err == nil {
		c.print(fmt.Sprintf("%s: done in %s", s.title, took))
		return
	}
	c.print(fmt.Sprintf("%s: failed after %s", s.title, took))
}
