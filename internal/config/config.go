package config

import "time"

// Config is the checked configuration. Zero limits mean the built-in ones of
// the part they belong to.
type Config struct {
	// Cwd is the working folder, absolute.
	Cwd string
	// File is the user's configuration file, which need not exist.
	File string

	// Model names who decides the tool calls (contract §2).
	Model string
	// Mode is the permission mode that sessions begin with (contract §3).
	Mode string
	// PermissionTimeout bounds the wait for an answer; 0 means no bound.
	PermissionTimeout time.Duration

	// StateDir is where sessions, grants and caches lie, absolute.
	StateDir string
	// Log is the file that the log goes to, "" for stderr; LogLevel is debug,
	// info, warn or error.
	Log, LogLevel string
	// WireLog is the file that protocol lines are copied to, "" for none.
	WireLog string
	// Record is the folder that a model's traffic is copied to, "" for none.
	Record string

	// Join says that processes for one folder join each other.
	Join bool

	// Follow says that editors show where the agent works, from the start.
	Follow bool

	Bash   Bash
	Read   Read
	Web    Web
	Search Search
	// Allow and Deny are the user's permission rules; Deny also holds those of
	// the workspace.
	Allow, Deny []Rule
	Limits      Limits

	OpenAI    Provider
	Anthropic Provider
	Ollama    Provider
	// Providers are further servers, behind models named NAME:MODEL.
	Providers map[string]Provider
	// Models are offered to choose from, beside those that servers list.
	Models []string
	// Thinking is how hard models think from the start: low, medium, high, or
	// default.
	Thinking string
	// Agents are the external agents behind models named acp:NAME.
	Agents map[string]Agent

	// Warnings say what had no effect and why, e.g. a workspace's wider mode.
	Warnings []string

	origins map[string]Origin
}

// Bash bounds commands (seed 001).
type Bash struct {
	// Cwd is where commands run that name no folder; "" is the session's.
	Cwd string
	// Timeout is the deadline of a command that asks for none.
	Timeout time.Duration
	// MaxStdoutLines and MaxStderrLines bound what the model sees, in lines.
	MaxStdoutLines, MaxStderrLines int
	// Sandbox says what commands may write, one of sandboxes.
	Sandbox string
}

// Read bounds reading (seed 001). Sizes are in bytes.
type Read struct {
	MaxSize, MaxTotalSize int64
	MaxLines              int
}

// Web steers fetching.
type Web struct {
	// AllowHosts are hosts that may be fetched although their addresses are
	// private.
	AllowHosts []string
}

// Search steers web search (tools.md §1.13).
type Search struct {
	// Backend is ddg or brave.
	Backend string
	// AllowedDomains filter the results of calls that name none.
	AllowedDomains []string
}

// Limits bound what peers may send.
type Limits struct {
	// MaxLine is the longest protocol message, in bytes.
	MaxLine int64
	// MaxRequests is how many requests one turn makes to a model.
	MaxRequests int
	// ModelIdle is how long a model's server may say nothing.
	ModelIdle time.Duration
}

// Provider is a model's server. What is empty comes from the SDK's own
// environment variables where it is one of the three that have them.
type Provider struct {
	// Kind is the protocol, of a provider with a name: openai or anthropic.
	Kind    string
	BaseURL string
	// APIKey is the key, APIKeyCmd a command that prints it, APIKeyFile a file
	// and APIKeyEnv a variable that holds it; the first that is set counts.
	APIKey     string
	APIKeyCmd  []string
	APIKeyFile string
	APIKeyEnv  string
	// API is auto, responses or chat, for the kind openai.
	API string
	// Headers go with each request.
	Headers map[string]string
	// Models are offered even if the server lists none.
	Models []string
	// ContextSize is what a conversation may hold, MaxOutput one answer, in
	// tokens; 0 leaves it to the server.
	ContextSize, MaxOutput int
}

// Agent is how an external agent is started.
type Agent struct {
	Command string
	Args    []string
	Env     map[string]string
	// Auth is the id of the way to log in, "" to ask the user when the agent
	// wants it.
	Auth string
	// Options are settings of the agent's own that its sessions begin with.
	Options map[string]string
}

// Rule is a permission rule as configured (contract §3).
type Rule struct {
	// Kind is read, edit, execute, fetch, or tool for a tool's name.
	Kind string
	// Pattern is a path or glob, the first words of a command, a host, a name.
	Pattern string
	// Exact narrows an execute rule to just this command.
	Exact bool
	// Origin is where the rule stands.
	Origin Origin
}

// Origin returns where the value of a key comes from.
func (c *Config) Origin(key string) Origin { return c.origins[key] }
