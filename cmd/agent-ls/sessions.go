package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-ls/agent-ls/agent"
	"github.com/agent-ls/agent-ls/internal/terminal"
	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools/permission"
)

func sessionsCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "List, show, export or delete stored sessions",
		Example: "  agent-ls sessions list\n  agent-ls sessions show ID",
	}
	cmd.AddCommand(sessionsList(io), sessionsShow(io), sessionsExport(io), sessionsDelete(io))
	return cmd
}

// oneID takes one session id.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(fmt.Errorf("%s takes the id of one session; see \"agent-ls sessions list\"", words(cmd)))
	}
	return nil
}

// failed is an error of a command that was used rightly.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}

func sessionsList(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions, newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			list, _, err := a.hub.List("", "", 0)
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return printJSON(io.out, append([]agent.SessionInfo{}, list...))
			}
			for _, s := range list {
				fmt.Fprintf(io.out, "%s  %s  %s  %s\n", s.ID, s.Updated.Local().Format(time.DateTime), s.Cwd, presentation.OneLine(s.Title))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func sessionsShow(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a session's cards", Args: oneID, ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			info, records, err := a.hub.Store().Read(args[0])
			if err != nil {
				return failed(err)
			}
			terminal.Show(io.out, info, records, terminal.Options{Colour: colour(io.out)})
			return nil
		},
	}
}

func sessionsExport(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "export ID", Short: "Print a session's events as JSON lines", Args: oneID, ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			_, records, err := a.hub.Store().Read(args[0])
			if err != nil {
				return failed(err)
			}
			return failed(printLines(io.out, records))
		},
	}
}

func sessionsDelete(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a session with what is kept of it", Args: oneID, ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			if _, _, err := a.hub.Store().Read(args[0]); err != nil {
				return failed(err)
			}
			if err := a.hub.Delete(args[0]); err != nil {
				return failed(err)
			}
			fmt.Fprintf(io.out, "deleted %s\n", args[0])
			return nil
		},
	}
}

func permissionsCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "permissions", Short: "List or revoke remembered grants",
		Example: "  agent-ls permissions list\n  agent-ls permissions revoke ID",
	}
	cmd.AddCommand(permissionsList(io), permissionsRevoke(io))
	return cmd
}

// grantsOf opens the grants of a command's state folder.
func grantsOf(cmd *cobra.Command) (*permission.Grants, error) {
	c, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	return permission.OpenGrants(filepath.Join(c.StateDir, grantsFile)), nil
}

func permissionsList(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List what was allowed or rejected for always", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := grantsOf(cmd)
			if err != nil {
				return err
			}
			list, err := g.List()
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return printJSON(io.out, append([]permission.Grant{}, list...))
			}
			for _, r := range list {
				fmt.Fprintf(io.out, "%s  %-5s  %s  (%s)\n", r.ID, r.Effect, presentation.OneLine(r.Words()), r.Workspace)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func permissionsRevoke(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "revoke [ID]", Short: "Forget one grant, or all of them", ValidArgsFunction: completeGrants,
		Example: "  agent-ls permissions revoke ID\n  agent-ls permissions revoke    # all of them",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(errors.New("permissions revoke takes one id, or none for all"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := grantsOf(cmd)
			if err != nil {
				return err
			}
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			n, err := g.Revoke(id)
			if err != nil {
				return failed(err)
			}
			if n == 0 && id != "" {
				return failed(fmt.Errorf("no grant has the id %q; see \"agent-ls permissions list\"", id))
			}
			fmt.Fprintf(io.out, "revoked %d\n", n)
			return nil
		},
	}
}
