package builtin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-ls/agent-ls/tools"
)

type searchReply struct {
	Query   string            `json:"query"`
	Backend string            `json:"backend"`
	Count   int               `json:"count"`
	Results []searchCandidate `json:"results"`
}

const duckReply = `{"Heading":"Go","AbstractText":"A language.","AbstractURL":"https://en.wikipedia.org/wiki/Go","Results":[{"Text":"Official site - go.dev","FirstURL":"https://go.dev/"}],
"RelatedTopics":[{"Text":"Gopher - A rodent - with more","FirstURL":"https://duckduckgo.com/Gopher"},{"Text":"no address"},
{"Name":"Games","Topics":[{"Text":"Go (game)","FirstURL":"https://en.wikipedia.org/wiki/Go_(game)"},{"Topics":[{"Text":"Deep - x","FirstURL":"https://sub.go.dev/deep"}]}]}]}`

// searchServer answers every query with reply and notes the requests.
func searchServer(t *testing.T, status int, reply string) (Options, *[]*http.Request) {
	t.Helper()
	requests := &[]*http.Request{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r)
		w.WriteHeader(status)
		fmt.Fprint(w, reply)
	})
	o := localWeb()
	o.Web.DuckDuckGoURL, o.Web.BraveURL, o.Web.BraveKey = server.URL+"/ddg", server.URL+"/brave?x=1", "key"
	return o, requests
}

func searchFor(t *testing.T, o Options, a args) searchReply {
	t.Helper()
	var got searchReply
	if err := json.Unmarshal([]byte(newSession(t, o).ok("search", a)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Count != len(got.Results) {
		t.Errorf("count %d of %d results", got.Count, len(got.Results))
	}
	return got
}

func TestSearchDuckDuckGo(t *testing.T) {
	o, requests := searchServer(t, 200, duckReply)
	got := searchFor(t, o, args{"query": "go & co"})
	want := []searchCandidate{
		{"Go", "https://en.wikipedia.org/wiki/Go", "A language.", "en.wikipedia.org"},
		{"Official site", "https://go.dev/", "Official site - go.dev", "go.dev"},
		{"Gopher", "https://duckduckgo.com/Gopher", "Gopher - A rodent - with more", "duckduckgo.com"},
		{"Go (game)", "https://en.wikipedia.org/wiki/Go_(game)", "Go (game)", "en.wikipedia.org"},
		{"Deep", "https://sub.go.dev/deep", "Deep - x", "sub.go.dev"},
	}
	if got.Query != "go & co" || got.Backend != "ddg" || fmt.Sprint(got.Results) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}
	r := (*requests)[0]
	if r.URL.Path != "/ddg" || r.URL.Query().Get("q") != "go & co" || r.URL.Query().Get("format") != "json" || r.Header.Get("X-Subscription-Token") != "" {
		t.Errorf("request %v %v", r.URL, r.Header)
	}
}

// The filter comes before the cut: exact hosts and what is below them, in any
// case (tools.md §1.13.3).
func TestSearchDomains(t *testing.T) {
	o, _ := searchServer(t, 200, duckReply)
	cases := []struct {
		args  args
		deflt []string
		want  []string
	}{
		{args{"allowed_domains": []string{"GO.dev"}}, nil, []string{"go.dev", "sub.go.dev"}},
		{args{"allowed_domains": []string{"GO.dev"}, "max_results": 1}, nil, []string{"go.dev"}},
		{args{"allowed_domains": []string{"o.dev"}}, nil, nil},
		{args{"max_results": 2}, nil, []string{"en.wikipedia.org", "go.dev"}},
		{args{}, []string{"wikipedia.org"}, []string{"en.wikipedia.org", "en.wikipedia.org"}},
		{args{"allowed_domains": []string{"go.dev"}}, []string{"wikipedia.org"}, []string{"go.dev", "sub.go.dev"}},
		{args{"allowed_domains": []string{""}}, nil, nil},
	}
	for _, c := range cases {
		o.Web.SearchDomains = c.deflt
		c.args["query"] = "x"
		var hosts []string
		for _, r := range searchFor(t, o, c.args).Results {
			hosts = append(hosts, r.Source)
		}
		if fmt.Sprint(hosts) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v", c.args, hosts, c.want)
		}
	}
}

func TestSearchBrave(t *testing.T) {
	o, requests := searchServer(t, 200, `{"web":{"results":[{"title":"The <strong>Go</strong> way","url":"https://go.dev/","description":"a &amp; <b>b</b>"}]}}`)
	o.Web.SearchBackend = "brave"
	got := searchFor(t, o, args{"query": "x"})
	if got.Backend != "brave" || len(got.Results) != 1 || got.Results[0] != (searchCandidate{"The Go way", "https://go.dev/", "a & b", "go.dev"}) {
		t.Errorf("%+v", got)
	}
	r := (*requests)[0]
	if r.URL.Path != "/brave" || r.URL.Query().Get("x") != "1" || r.URL.Query().Get("count") != "20" || r.Header.Get("X-Subscription-Token") != "key" {
		t.Errorf("request %v %v", r.URL, r.Header)
	}
	o.Web.BraveKey = ""
	if text := newSession(t, o).fails("WEB_NO_KEY", "search", args{"query": "x"}); text != "Missing BRAVE_SEARCH_API_KEY for brave backend." {
		t.Error(text)
	}
}

func TestSearchFailures(t *testing.T) {
	cases := []struct {
		status int
		reply  string
		want   string
	}{
		{500, "broken", "status 500"},
		{429, "{}", "status 429"},
		{200, "<html>", "cannot be read"},
		{200, strings.Repeat(" ", searchReplyBytes+1), "status 200"},
	}
	for _, c := range cases {
		o, _ := searchServer(t, c.status, c.reply)
		for _, backend := range []string{"ddg", "brave"} {
			got := newSession(t, o).fails("WEB_SEARCH_FAILED", "search", args{"query": "x", "backend": backend})
			if !strings.Contains(got, c.want) || !strings.Contains(got, "with "+backend) {
				t.Errorf("%s, %d: %s", backend, c.status, got)
			}
		}
	}
	o, _ := searchServer(t, 200, "{}")
	o.Web.AllowHosts = nil
	if got := newSession(t, o).fails("WEB_NETWORK_ERROR", "search", args{"query": "x"}); !strings.HasPrefix(got, "Error searching the web [network_error]") {
		t.Error(got)
	}
	s := newSession(t, o)
	for _, a := range []args{{}, {"query": ""}, {"query": "x", "max_results": 21}, {"query": "x", "backend": "bing"}} {
		s.fails(tools.CodeInvalidArgs, "search", a)
	}
}

func TestSearchNothingFound(t *testing.T) {
	o, _ := searchServer(t, 200, "{}")
	if got := newSession(t, o).ok("search", args{"query": "x"}); got != `{"backend":"ddg","count":0,"query":"x","results":[]}` {
		t.Error(got)
	}
}
