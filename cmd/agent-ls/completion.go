package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/agent/direct"
	"github.com/agent-ls/agent-ls/internal/config"
	"github.com/agent-ls/agent-ls/presentation"
)

// suggestion is the signature of cobra's completion functions.
type suggestion = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeFlags lets the shell complete the values of the common flags: those of
// a choice, models, folders; all others are files.
func completeFlags(root *cobra.Command) error {
	for _, k := range config.Keys() {
		if k.Flag == "" {
			continue
		}
		complete := suggestion(nil)
		switch {
		case len(k.Values) > 0:
			complete = cobra.FixedCompletions(k.Values, cobra.ShellCompDirectiveNoFileComp)
		case k.Arg == "DIR":
			complete = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		case k.Name == "model":
			complete = completeModels
		default:
			continue
		}
		if err := root.RegisterFlagCompletionFunc(k.Flag, complete); err != nil {
			return fmt.Errorf("completion of --%s: %w", k.Flag, err)
		}
	}
	return nil
}

// completeCommands offers the commands below those that were typed.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	target, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, c := range target.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeModels offers the models that have a name of their own, and the
// beginnings of the others.
func completeModels(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(typed, "script:") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	models := []cobra.Completion{direct.Info().ID, "script:", "openai:", "anthropic:", "ollama:"}
	if c, err := loadConfig(cmd); err == nil {
		for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
			models = append(models, name+":")
		}
		for _, hosted := range hostedAgents(c) {
			models = append(models, hosted.Info().ID)
		}
	}
	return models, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeSessions offers the ids of the stored sessions with their titles.
func completeSessions(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	a, err := newApp(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer a.close()
	list, _, err := a.hub.List("", "", 0)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	out := make([]cobra.Completion, len(list))
	for i, s := range list {
		out[i] = cobra.CompletionWithDesc(s.ID, presentation.OneLine(s.Title))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeGrants offers the ids of the remembered grants with their words.
func completeGrants(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	g, err := grantsOf(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	list, err := g.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	out := make([]cobra.Completion, len(list))
	for i, grant := range list {
		out[i] = cobra.CompletionWithDesc(grant.ID, presentation.OneLine(grant.Words()))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
