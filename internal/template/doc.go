// Package template fills the texts of notifications:
//
//	text, ok := template.Fill("Not published: {{execution.triggerContext.title}}", roots, template.Text)
//
// Between double braces stands a path from one of the roots, with dots between keys
// and positions. What is not there is empty text, text stands as it is, every other
// value as the JSON that it came as. Values are escaped for the form that the whole
// text has: for HTML, or as the inside of a JSON text; the template itself is not.
//
// Filling takes time by the length of template, values and result, which are bounded: the largest
// texts take 0.2 s of the processor, so it ends without being asked to.
//
// Nothing is executed, and what a value holds is never read as a template again.
package template
