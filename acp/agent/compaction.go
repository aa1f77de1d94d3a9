package agent

import (
	"github.com/agent-ls/agent-ls/acp"
	"github.com/agent-ls/agent-ls/agent"
)

// compacted shows a step of a compaction. Clients that show none get a notice,
// those that show no notices either a text.
func (p *projector) compacted(e agent.CompactionChanged) []acp.SessionUpdate {
	if p.compaction {
		u := acp.CompactionUpdate{CompactionID: e.ID, Status: string(e.Status), Error: e.Error}
		if e.Summary != "" {
			u.Summary = []acp.ContentBlock{acp.TextContent{Text: e.Summary}}
		}
		return one(u)
	}
	n, ok := e.Notice()
	if !ok {
		return nil
	}
	if shown := p.notice(n); len(shown) > 0 {
		return shown
	}
	return one(noticeText(n))
}
