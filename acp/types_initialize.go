package acp

// InitializeRequest are the params of initialize.
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities,omitzero"`
	ClientInfo         *Implementation    `json:"clientInfo,omitempty"`
	Meta               Meta               `json:"_meta,omitempty"`
}

// InitializeResponse is the result of initialize.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities,omitzero"`
	AuthMethods       []AuthMethod      `json:"authMethods,omitzero"`
	AgentInfo         *Implementation   `json:"agentInfo,omitempty"`
	Meta              Meta              `json:"_meta,omitempty"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
	Meta    Meta   `json:"_meta,omitempty"`
}

// Marker is a capability whose presence is what it says.
type Marker struct {
	Meta Meta `json:"_meta,omitempty"`
}

// ClientCapabilities are what a client offers (acp.md §3).
type ClientCapabilities struct {
	FS          FileSystemCapabilities     `json:"fs,omitzero"`
	Terminal    bool                       `json:"terminal,omitempty"`
	Session     *ClientSessionCapabilities `json:"session,omitempty"`
	Auth        AuthCapabilities           `json:"auth,omitzero"`
	Elicitation *ElicitationCapabilities   `json:"elicitation,omitempty"`
	Meta        Meta                       `json:"_meta,omitempty"`
}

// FileSystemCapabilities say which fs methods a client serves.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile,omitempty"`
	WriteTextFile bool `json:"writeTextFile,omitempty"`
	Meta          Meta `json:"_meta,omitempty"`
}

// ClientSessionCapabilities say which session updates a client understands.
type ClientSessionCapabilities struct {
	Compaction    *Marker                           `json:"compaction,omitempty"`
	ConfigOptions *SessionConfigOptionsCapabilities `json:"configOptions,omitempty"`
	Notices       *Marker                           `json:"notices,omitempty"`
	Meta          Meta                              `json:"_meta,omitempty"`
}

// SessionConfigOptionsCapabilities say which kinds of options a client shows.
type SessionConfigOptionsCapabilities struct {
	Boolean *Marker `json:"boolean,omitempty"`
	Meta    Meta    `json:"_meta,omitempty"`
}

// AuthCapabilities say which ways to log in a client serves.
type AuthCapabilities struct {
	Terminal bool `json:"terminal,omitempty"`
	Meta     Meta `json:"_meta,omitempty"`
}

// ElicitationCapabilities say which kinds of questions a client asks.
type ElicitationCapabilities struct {
	Form *Marker `json:"form,omitempty"`
	URL  *Marker `json:"url,omitempty"`
	Meta Meta    `json:"_meta,omitempty"`
}

// AgentCapabilities are what an agent offers (acp.md §3).
type AgentCapabilities struct {
	LoadSession         bool                  `json:"loadSession,omitempty"`
	PromptCapabilities  PromptCapabilities    `json:"promptCapabilities,omitzero"`
	McpCapabilities     McpCapabilities       `json:"mcpCapabilities,omitzero"`
	SessionCapabilities SessionCapabilities   `json:"sessionCapabilities,omitzero"`
	Auth                AgentAuthCapabilities `json:"auth,omitzero"`
	Meta                Meta                  `json:"_meta,omitempty"`
}

// PromptCapabilities say which blocks a prompt may hold beside text and links.
type PromptCapabilities struct {
	Image           bool `json:"image,omitempty"`
	Audio           bool `json:"audio,omitempty"`
	EmbeddedContext bool `json:"embeddedContext,omitempty"`
	Meta            Meta `json:"_meta,omitempty"`
}

// McpCapabilities say which MCP transports an agent speaks beside stdio.
type McpCapabilities struct {
	HTTP bool `json:"http,omitempty"`
	SSE  bool `json:"sse,omitempty"`
	Meta Meta `json:"_meta,omitempty"`
}

// SessionCapabilities say which optional session methods an agent serves.
type SessionCapabilities struct {
	List                  *Marker `json:"list,omitempty"`
	Delete                *Marker `json:"delete,omitempty"`
	AdditionalDirectories *Marker `json:"additionalDirectories,omitempty"`
	Resume                *Marker `json:"resume,omitempty"`
	Close                 *Marker `json:"close,omitempty"`
	Fork                  *Marker `json:"fork,omitempty"` // not in the stable schema
	Meta                  Meta    `json:"_meta,omitempty"`
}

// AgentAuthCapabilities say whether an agent serves logout.
type AgentAuthCapabilities struct {
	Logout *Marker `json:"logout,omitempty"`
	Meta   Meta    `json:"_meta,omitempty"`
}

// AuthenticateRequest are the params of authenticate.
type AuthenticateRequest struct {
	MethodID string `json:"methodId"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// AuthMethod is a way to log in: AuthMethodTerminal or AuthMethodAgent.
type AuthMethod interface{ authMethod() }

// AuthMethodTerminal is the method "terminal": the client runs the agent with
// these arguments in a terminal. Only for clients with auth.terminal.
type AuthMethodTerminal struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Meta        Meta              `json:"_meta,omitempty"`
}

// AuthMethodAgent is a method that the agent serves by itself; it has no tag.
type AuthMethodAgent struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Meta        Meta   `json:"_meta,omitempty"`
}

func (AuthMethodTerminal) authMethod() {}
func (AuthMethodAgent) authMethod()    {}

// MarshalJSON adds the tag "terminal".
func (m AuthMethodTerminal) MarshalJSON() ([]byte, error) {
	type fields AuthMethodTerminal
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"terminal", fields(m)})
}

// McpServer is a server that a session is to use: McpServerStdio,
// McpServerHTTP or McpServerSSE.
type McpServer interface{ mcpServer() }

// McpServerStdio is a program; it has no tag.
type McpServerStdio struct {
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    List[string]      `json:"args" acp:"lenient"`
	Env     List[EnvVariable] `json:"env" acp:"lenient"`
	Meta    Meta              `json:"_meta,omitempty"`
}

// McpServerHTTP is the server "http".
type McpServerHTTP struct {
	Name    string           `json:"name"`
	URL     string           `json:"url"`
	Headers List[HTTPHeader] `json:"headers" acp:"lenient"`
	Meta    Meta             `json:"_meta,omitempty"`
}

// McpServerSSE is the server "sse", which is deprecated.
type McpServerSSE struct {
	Name    string           `json:"name"`
	URL     string           `json:"url"`
	Headers List[HTTPHeader] `json:"headers" acp:"lenient"`
	Meta    Meta             `json:"_meta,omitempty"`
}

func (McpServerStdio) mcpServer() {}
func (McpServerHTTP) mcpServer()  {}
func (McpServerSSE) mcpServer()   {}

// MarshalJSON adds the tag "http".
func (s McpServerHTTP) MarshalJSON() ([]byte, error) {
	type fields McpServerHTTP
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"http", fields(s)})
}

// MarshalJSON adds the tag "sse".
func (s McpServerSSE) MarshalJSON() ([]byte, error) {
	type fields McpServerSSE
	return Encode(struct {
		Type string `json:"type"`
		fields
	}{"sse", fields(s)})
}

// EnvVariable is one environment variable.
type EnvVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// HTTPHeader is one header of a request.
type HTTPHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Meta  Meta   `json:"_meta,omitempty"`
}
