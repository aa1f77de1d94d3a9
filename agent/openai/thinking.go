package openai

import "strings"

// Levels are how hard a model can be told to think.
var Levels = []string{"low", "medium", "high"}

// thinkers begin the names of models that can be told how hard to think, by all
// that is known of them: most servers do not say. quiet are parts of the names of
// their kin that cannot.
var (
	thinkers = []string{
		"gpt-5", "gpt-6", "gpt-oss", "o1", "o3", "o4", "codex", "deepseek-r", "qwen3", "qwq", "magistral", "gemini-2.5", "gemini-3",
	}
	quiet = []string{"-chat", "-instruct", "-coder", "chatgpt-4", "gpt-3", "gpt-4"}
)

// Thinking are the levels of a model by its name, none for one that cannot be
// told. With responses, which few servers but OpenAI's speak, all models can but
// those that are known not to.
func Thinking(model string, responses bool) []string {
	if responses && reasons(model) || thinks(model) {
		return Levels
	}
	return nil
}

// thinks says whether a model of any maker thinks before it answers.
func thinks(model string) bool {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	if isQuiet(name) {
		return false
	}
	for _, prefix := range thinkers {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.Contains(name, "thinking") || strings.Contains(name, "reasoning")
}

// reasons says whether a model of OpenAI's thinks before it answers; the others
// refuse to be asked for it.
func reasons(model string) bool { return !isQuiet(strings.ToLower(model)) }

func isQuiet(name string) bool {
	for _, part := range quiet {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
