package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
		Long: `Lists, shows, exports or deletes the stored sessions. Of an ID its beginning is
enough where no other session's begins so.`,
		Example: "  agent-ls sessions list\n  agent-ls sessions show ID\n  agent-ls sessions export ID > session.jsonl",
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

// listedSession is an entry of the list as JSON.
type listedSession struct {
	ID      string    `json:"id"`
	Cwd     string    `json:"cwd"`
	Roots   []string  `json:"roots,omitempty"`
	Title   string    `json:"title"`
	Updated time.Time `json:"updated"`
}

func sessionsList(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions, newest first", Args: noArgs,
		Example: "  agent-ls sessions list\n  agent-ls sessions list --json | jq -r '.[].title'",
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
				out := make([]listedSession, len(list))
				for i, s := range list {
					out[i] = listedSession{s.ID, s.Cwd, s.Roots, s.Title, s.Updated}
				}
				return printJSON(io.out, out)
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
		Example: "  agent-ls sessions show 4f6c1f0e",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			info, records, err := a.stored(args[0])
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
		Example: "  agent-ls sessions export 4f6c1f0e > session.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			_, records, err := a.stored(args[0])
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
		Example: "  agent-ls sessions delete 4f6c1f0e",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := newApp(cmd)
			if err != nil {
				return err
			}
			defer a.close()
			id, err := a.findSession(args[0])
			if err != nil {
				return failed(err)
			}
			if err := a.hub.Delete(id); err != nil {
				return failed(err)
			}
			fmt.Fprintf(io.out, "deleted %s\n", id)
			return nil
		},
	}
}

// findSession is the id of the only session whose id begins so. A log that cannot
// be read counts, so that it can be deleted.
func (a *app) findSession(begins string) (string, error) {
	path, err := a.hub.Store().Path(begins)
	if err == nil {
		if _, err := os.Stat(path); err == nil {
			return begins, nil
		}
	}
	list, _, err := a.hub.List("", "", 0)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, s := range list {
		if strings.HasPrefix(s.ID, begins) {
			ids = append(ids, s.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", fmt.Errorf("%w %q; see \"agent-ls sessions list\"", agent.ErrUnknownSession, begins)
	}
	return "", fmt.Errorf("several sessions begin with %q: %s", begins, strings.Join(ids, ", "))
}

// stored reads the session whose id begins so. An error of a log says where it
// lies.
func (a *app) stored(begins string) (agent.SessionInfo, []agent.Record, error) {
	id, err := a.findSession(begins)
	if err != nil {
		return agent.SessionInfo{}, nil, err
	}
	info, records, err := a.hub.Store().Read(id)
	if err == nil {
		return info, records, nil
	}
	if path, noPath := a.hub.Store().Path(id); noPath == nil {
		err = fmt.Errorf("%w\nIt lies in %s; \"agent-ls sessions delete %s\" removes it", err, path, id)
	}
	return info, nil, err
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
		Example: "  agent-ls permissions list\n  agent-ls permissions list --json",
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
