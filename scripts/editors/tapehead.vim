" Vim syntax of tapehead

if exists('b:current_syntax')
  finish
endif
syn case match
syn keyword tapeheadCommand else @commands@
syn keyword tapeheadOperator in on as and or not
syn keyword tapeheadKind @kinds@
syn keyword tapeheadFunction @functions@
syn match tapeheadOption '\<\h\w*=\@='
syn match tapeheadNumber '\<\d\+\%(\.\d\+\)\=\%([eE][-+]\=\d\+\)\=\>'
syn match tapeheadVariable '\$\%(\h\w*\|{\h\w*}\)'
syn region tapeheadString start='"' skip='\\.' end='"' contains=tapeheadVariable
syn match tapeheadShell '^\s*!.*'
syn match tapeheadComment '#.*'

hi def link tapeheadCommand Statement
hi def link tapeheadOperator Operator
hi def link tapeheadKind Type
hi def link tapeheadFunction Function
hi def link tapeheadOption Identifier
hi def link tapeheadNumber Number
hi def link tapeheadVariable PreProc
hi def link tapeheadString String
hi def link tapeheadShell Special
hi def link tapeheadComment Comment
let b:current_syntax = 'tapehead'
