package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agent-ls/agent-ls/presentation"
	"github.com/agent-ls/agent-ls/tools"
)

//go:embed search_web.md
var searchDescription string

// SearchArgs are the parameters of search.
type SearchArgs struct {
	Query          string   `json:"query" minLength:"1" desc:"What to search for."`
	MaxResults     int      `json:"max_results,omitzero" min:"1" max:"20" desc:"Most results, 5 by default."`
	Backend        string   `json:"backend,omitempty" enum:"ddg,brave" desc:"Search engine."`
	AllowedDomains []string `json:"allowed_domains,omitempty" desc:"Only results of these domains."`
}

// What search does when it is not told, and its bounds (tools.md §1.13).
const (
	searchResults    = 5
	searchMostAsked  = 20
	searchTimeout    = 10 * time.Second
	searchReplyBytes = 2 << 20
	duckDuckGoURL    = "https://api.duckduckgo.com/"
	braveURL         = "https://api.search.brave.com/res/v1/web/search"
	// BraveKeyVariable is the environment variable that holds the key of the
	// brave backend.
	BraveKeyVariable = "BRAVE_SEARCH_API_KEY"
)

// searchCandidate is one result. Source is the host of its URL.
type searchCandidate struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	Source  string `json:"source"`
}

// searchBackend is one search engine: the request for a query, and what the
// reply holds.
type searchBackend struct {
	request func(o WebOptions, query string) (target string, header http.Header)
	parse   func(reply []byte) ([]searchCandidate, error)
}

var searchBackends = map[string]searchBackend{
	"ddg":   {duckDuckGoRequest, parseDuckDuckGo},
	"brave": {braveRequest, parseBrave},
}

// Search returns the search tool (seed 000 §7.6; tools.md §1.13).
func Search(o Options) *tools.Definition {
	return tools.Define(tools.Spec[SearchArgs]{
		Name: "search", Label: "Web search", Description: searchDescription, Source: tools.SourceBuiltin,
		Prepare: tools.Aliases(map[string]string{"maxResults": "max_results", "allowedDomains": "allowed_domains"}),
		Access: func(a SearchArgs) []tools.Access {
			target, _ := searchBackends[o.Web.backend(a)].request(o.Web, a.Query)
			return []tools.Access{{Kind: tools.AccessFetch, URL: target}}
		},
		Execute: func(ctx context.Context, a SearchArgs, _ *tools.Context) (tools.Result, error) {
			return o.Web.search(ctx, a)
		},
		PresentCall: func(a SearchArgs) presentation.CallView {
			return &presentation.GenericCall{Title: fmt.Sprintf("Search the web for %q", a.Query), Kind: presentation.KindFetch, RawInput: rawString(a.Query)}
		},
	})
}

// backend is the engine that a call uses.
func (o WebOptions) backend(a SearchArgs) string {
	for _, name := range []string{a.Backend, o.SearchBackend} {
		if _, ok := searchBackends[name]; ok {
			return name
		}
	}
	return "ddg"
}

func (o WebOptions) search(ctx context.Context, a SearchArgs) (tools.Result, error) {
	name := o.backend(a)
	if name == "brave" && o.BraveKey == "" {
		return failedText("WebError", "WEB_NO_KEY", "Missing "+BraveKeyVariable+" for brave backend."), nil
	}
	limited, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	target, header := searchBackends[name].request(o, a.Query)
	resp, err := o.get(limited, target, header)
	if err != nil {
		return webFailed(ctx, "searching the web", err)
	}
	defer func() { _ = resp.Body.Close() }()
	reply, truncated, err := readBody(resp.Body, searchReplyBytes)
	if err != nil {
		return webFailed(ctx, "searching the web", err)
	}
	if resp.StatusCode/100 != 2 || truncated {
		return searchFailed(name, fmt.Sprintf("it answered with status %d and %d bytes", resp.StatusCode, len(reply))), nil
	}
	found, err := searchBackends[name].parse(reply)
	if err != nil {
		return searchFailed(name, "its answer cannot be read: "+err.Error()), nil
	}
	results := o.pick(a, found)
	return tools.JSONResult(map[string]any{"query": a.Query, "backend": name, "count": len(results), "results": results}), nil
}

func searchFailed(backend, why string) tools.Result {
	return failedText("WebError", "WEB_SEARCH_FAILED",
		fmt.Sprintf("Error searching the web with %s: %s. Try another query or backend, or fetch a page that you know", backend, why))
}

// pick filters by domain and then cuts (tools.md §1.13.3).
func (o WebOptions) pick(a SearchArgs, found []searchCandidate) []searchCandidate {
	domains, most := a.AllowedDomains, a.MaxResults
	if len(domains) == 0 {
		domains = o.SearchDomains
	}
	if most == 0 {
		most = searchResults
	}
	picked := []searchCandidate{}
	for _, c := range found {
		if u, err := url.Parse(c.URL); err == nil && len(picked) < most && inDomains(u.Hostname(), domains) {
			c.Source = u.Hostname()
			picked = append(picked, c)
		}
	}
	return picked
}

// inDomains reports whether host is one of the domains or below one; no
// domains mean all.
func inDomains(host string, domains []string) bool {
	host = strings.ToLower(host)
	for _, d := range domains {
		d = strings.ToLower(strings.Trim(d, ". "))
		if host == d || d != "" && strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return len(domains) == 0
}

// withQuery adds parameters to a server's URL.
func withQuery(server, standard string, parameters url.Values) string {
	if server == "" {
		server = standard
	}
	separator := "?"
	if strings.Contains(server, "?") {
		separator = "&"
	}
	return server + separator + parameters.Encode()
}

func duckDuckGoRequest(o WebOptions, query string) (string, http.Header) {
	return withQuery(o.DuckDuckGoURL, duckDuckGoURL, url.Values{
		"q": {query}, "format": {"json"}, "no_html": {"1"}, "no_redirect": {"1"}, "skip_disambig": {"1"},
	}), http.Header{"Accept": {"application/json"}}
}

// duckTopic is a topic, or a named group of topics.
type duckTopic struct {
	Text     string      `json:"Text"`
	FirstURL string      `json:"FirstURL"`
	Topics   []duckTopic `json:"Topics"`
}

// parseDuckDuckGo reads an instant answer: the abstract, then results, then
// related topics with those nested in groups.
func parseDuckDuckGo(reply []byte) ([]searchCandidate, error) {
	var answer struct {
		Heading       string      `json:"Heading"`
		AbstractText  string      `json:"AbstractText"`
		AbstractURL   string      `json:"AbstractURL"`
		Results       []duckTopic `json:"Results"`
		RelatedTopics []duckTopic `json:"RelatedTopics"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return nil, err
	}
	var found []searchCandidate
	if answer.AbstractURL != "" && answer.AbstractText != "" {
		found = append(found, searchCandidate{Title: answer.Heading, URL: answer.AbstractURL, Snippet: answer.AbstractText})
	}
	return appendTopics(appendTopics(found, answer.Results), answer.RelatedTopics), nil
}

func appendTopics(found []searchCandidate, topics []duckTopic) []searchCandidate {
	for _, t := range topics {
		if t.FirstURL != "" && t.Text != "" {
			title, _, _ := strings.Cut(t.Text, " - ")
			found = append(found, searchCandidate{Title: title, URL: t.FirstURL, Snippet: t.Text})
		}
		found = appendTopics(found, t.Topics)
	}
	return found
}

func braveRequest(o WebOptions, query string) (string, http.Header) {
	return withQuery(o.BraveURL, braveURL, url.Values{"q": {query}, "count": {strconv.Itoa(searchMostAsked)}}),
		http.Header{"Accept": {"application/json"}, "X-Subscription-Token": {o.BraveKey}}
}

func parseBrave(reply []byte) ([]searchCandidate, error) {
	var answer struct {
		Web struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := json.Unmarshal(reply, &answer); err != nil {
		return nil, err
	}
	var found []searchCandidate
	for _, r := range answer.Web.Results {
		found = append(found, searchCandidate{Title: betweenTags(r.Title), URL: r.URL, Snippet: betweenTags(r.Description)})
	}
	return found, nil
}
