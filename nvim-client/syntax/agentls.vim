" The messages of a session are Markdown; cards are highlighted by the plugin.
if exists('b:current_syntax')
  finish
endif

syntax include @agentlsMarkdown syntax/markdown.vim
unlet! b:current_syntax

syntax match agentlsBody /^    .*$/
syntax region agentlsMessage start=/^[^ ]/ end=/\n\ze    /  keepend contains=@agentlsMarkdown
syntax match agentlsCard /^\%(→\|±\|×\|»\|?\|\$\|↓\|•\) .* — .*$/
syntax sync minlines=50

let b:current_syntax = 'agentls'
