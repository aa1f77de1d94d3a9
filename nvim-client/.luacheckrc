std = 'luajit'
globals = { 'vim' }
max_line_length = false -- stylua breaks lines
self = false
