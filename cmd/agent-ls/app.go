package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/lsp"
	"github.com/agent-ls/agent-ls/tools"
	"github.com/agent-ls/agent-ls/tools/builtin"
	"github.com/agent-ls/agent-ls/tools/cache"
	"github.com/agent-ls/agent-ls/tools/permission"
	"github.com/agent-ls/agent-ls/tools/proc"
	"github.com/agent-ls/agent-ls/workspace"
)

// grantsFile is the file of the remembered grants in the state folder.
const grantsFile = "grants.json"

// app is the wired program: one hub with what its sessions use.
type app struct {
	config config.Config
	log    *slog.Logger
	hub    *agent.Hub
	// workspace is what the hub's sessions see.
	workspace *workspace.Workspace
	grants    *permission.Grants
	models    *models
	hosted    *hosting
	local     *proc.Local
	tasks     *proc.Tasks
	outputs   *cache.Store
	// transcripts are those of language clients, which are kept as outputs are.
	transcripts *cache.Store
	logFile     io.Closer
	swept       chan struct{} // closed when the output store has been swept
	review      *reviewing    // nil where nobody reviews
	registry    *tools.Registry
	// opened, when set, is told of each session that a client opens.
	opened func(*agent.Session)
	// forced takes back the end by force that was set when the client left; nil
	// before.
	forced func() bool
}

// systemSources are the sources of the settings for a command.
func systemSources(cmd *cobra.Command) (config.Sources, error) {
	s, err := config.SystemSources()
	if err != nil {
		return s, usageError(err)
	}
	s.Flags = config.FlagValues(cmd.Flags())
	return s, nil
}

// loadConfig reads the settings of a command.
func loadConfig(cmd *cobra.Command) (config.Config, error) {
	s, err := systemSources(cmd)
	if err != nil {
		return config.Config{}, err
	}
	c, err := config.Load(s)
	if noFolder := checkFolder(c.Cwd); noFolder != nil {
		return c, usageError(noFolder)
	}
	if err != nil {
		return c, usageError(err)
	}
	return c, nil
}

// checkFolder says why dir cannot be the working folder.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("working folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working folder %s is not a folder", dir)
	}
	return nil
}

// newApp wires the program for a command; close ends it.
func newApp(cmd *cobra.Command) (*app, error) {
	c, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	return wire(c, cmd.ErrOrStderr())
}

// wire makes the hub and everything below it.
func wire(c config.Config, stderr io.Writer) (*app, error) {
	a := &app{config: c, swept: make(chan struct{})}
	var err error
	if a.log, a.logFile, err = openLog(c, stderr); err != nil {
		return nil, err
	}
	for _, w := range c.Warnings {
		a.log.Warn(w)
	}
	rules, err := permissionRules(c)
	if err != nil {
		return nil, err
	}
	registry := tools.NewRegistry()
	if err := builtin.Register(registry, builtinOptions(c)); err != nil {
		return nil, err
	}
	a.registry = registry
	a.local = proc.NewLocal(proc.LocalOptions{Logger: a.log})
	a.tasks = proc.NewTasks(proc.TasksOptions{Logger: a.log})
	a.outputs = cache.Open(cache.Options{Dir: filepath.Join(c.StateDir, "outputs")})
	a.transcripts = cache.Open(cache.Options{Dir: lsp.TranscriptDir(c.StateDir)})
	a.grants = permission.OpenGrants(filepath.Join(c.StateDir, grantsFile))
	a.workspace = workspace.New(workspace.Options{Logger: a.log, GlobalIgnore: globalIgnore()})
	a.models = newModels(c, a.log)
	a.hosted = newHosting(c, a.local, a.log)
	a.hub = agent.NewHub(agent.Config{
		Workspace: a.workspace, Registry: registry, StateDir: c.StateDir, Grants: a.grants, Rules: rules,
		Protected: []string{c.File}, DefaultMode: permission.Mode(c.Mode), DefaultModel: c.Model,
		Models: a.choices, OpenModel: a.models.open, OpenDriver: a.hosted.openDriver, Deps: a.deps, Forget: a.forget, Outputs: a.outputs,
		TurnBegins: a.turnBegins, Recorder: a.recorder,
		Retry: agent.DefaultRetry(), Thinking: thinking(c), MaxRequests: c.Limits.MaxRequests,
		PermissionTimeout: c.PermissionTimeout, ModeFrom: workspaceOrigin(c, "mode"), Version: version(), Logger: a.log,
	})
	a.models.changed = a.hub.ModelsChanged
	a.tasks.OnCompletion(a.taskEnded)
	go func() {
		defer close(a.swept)
		if err := errors.Join(a.outputs.Sweep(), a.transcripts.Sweep()); err != nil {
			a.log.Warn("old output was not swept", "err", err)
		}
	}()
	return a, nil
}

// close ends the sessions, then what they ran.
func (a *app) close() {
	a.models.close()
	a.hub.Close()
	a.hosted.close()
	a.tasks.Dispose()
	a.local.Close()
	<-a.swept
	if a.forced != nil {
		a.forced()
	}
	a.logFile.Close()
}

// deps is what a session's tools work on.
func (a *app) deps(s *agent.Session) tools.Overrides {
	deps := tools.Overrides{}
	deps[builtin.Files.ID] = func(_ context.Context, tc *tools.Context) (any, error) { return s.ViewFor(tc), nil }
	tools.Override(deps, builtin.Runner, a.runner(s))
	tools.Override(deps, builtin.Tasks, a.tasks)
	tools.Override(deps, builtin.Outputs, a.outputs)
	id := s.ID()
	s.OnClose(func() { a.tasks.DisposeOwner(id) })
	return deps
}

// taskEnded tells the owner's model that a background command has ended.
func (a *app) taskEnded(c proc.Completion) {
	if s, ok := a.hub.Get(c.Owner); ok {
		s.AddContext("background", builtin.CompletionNotice(c))
	}
}

// choices lists what a user may choose: models and the hosted agents.
func (a *app) choices() []agent.ModelInfo {
	out := a.models.list()
	for _, hosted := range hostedAgents(a.config) {
		out = append(out, hosted.Info())
	}
	return out
}

// thinking is how hard models think from the start, "" for as they like.
func thinking(c config.Config) string {
	if c.Thinking == "default" {
		return ""
	}
	return c.Thinking
}

func builtinOptions(c config.Config) builtin.Options {
	return builtin.Options{
		BashCwd: c.Bash.Cwd, BashTimeout: c.Bash.Timeout,
		BashMaxStdoutLines: c.Bash.MaxStdoutLines, BashMaxStderrLines: c.Bash.MaxStderrLines,
		ReadMaxSize: c.Read.MaxSize, ReadMaxLines: c.Read.MaxLines, ReadMaxTotalSize: c.Read.MaxTotalSize,
		Web: builtin.WebOptions{
			AllowHosts: c.Web.AllowHosts, Proxy: http.ProxyFromEnvironment,
			SearchBackend: c.Search.Backend, SearchDomains: c.Search.AllowedDomains, BraveKey: os.Getenv(builtin.BraveKeyVariable),
		},
	}
}

// workspaceOrigin names the file of the workspace that set a key, "" for a value
// of the user's.
func workspaceOrigin(c config.Config, key string) string {
	if o := c.Origin(key); o.Source == config.SourceWorkspace {
		return o.String()
	}
	return ""
}

// permissionRules are the configured rules as the policy takes them; a rule
// that cannot work is an error that says where it stands.
func permissionRules(c config.Config) ([]permission.Rule, error) {
	var out []permission.Rule
	add := func(effect string, rules []config.Rule) error {
		for _, r := range rules {
			rule := permission.Rule{Effect: effect, Kind: tools.AccessKind(r.Kind), Pattern: r.Pattern, Exact: r.Exact, From: r.Origin.String()}
			if r.Kind == "tool" {
				rule.Kind = ""
			}
			if err := rule.Check(); err != nil {
				return usageError(fmt.Errorf("%s: %w", r.Origin, err))
			}
			out = append(out, rule)
		}
		return nil
	}
	return out, errors.Join(add(permission.EffectAllow, c.Allow), add(permission.EffectDeny, c.Deny))
}

// globalIgnore is git's own file of what a user never wants to see.
func globalIgnore() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "git", "ignore")
}

// openLog returns the logger of the settings; closing it is the caller's.
func openLog(c config.Config, stderr io.Writer) (*slog.Logger, io.Closer, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, nil, usageError(err)
	}
	w, closer := stderr, io.Closer(io.NopCloser(nil))
	if c.Log != "" {
		f, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, nil, usageError(fmt.Errorf("%s: the log cannot be written: %w", c.Origin("log"), err))
		}
		w, closer = f, f
	} else if c.Origin("log_level").Source == config.SourceDefault {
		level = slog.LevelWarn // a terminal is not for chatter
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), closer, nil
}

// interrupted says whether ctx ended by a signal.
func interrupted(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
