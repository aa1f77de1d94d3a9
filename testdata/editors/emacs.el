;;; emacs.el --- Emacs with eglot against the real agent-ls  -*- lexical-binding: t -*-
;; emacs -nw -Q -l emacs.el FILE: prompts, sees an edit arrive, undoes a hunk. It says so in the file that
;; RESULT names, whose last line is "end 0" or "end 1". FILE holds "one", "two", "three"; agent-ls is in PATH.
;; A terminal is needed: eglot tells of changes when Emacs is idle, which it never is in batch mode.

(require 'eglot)

(defvar questions nil "What the user was asked.")
(defvar answer "Allow" "What the user answers, by its beginning.")
(defvar transcript nil "The answer of the last prompt.")
(defvar begun (float-time) "When the present step began.")

(defun say (line)
  (write-region (concat line "\n") nil (getenv "RESULT") t 'quiet))

(defun end (code)
  (say (format "end %d" code))
  (set-buffer-modified-p nil)
  (kill-emacs code))

;; The user chooses what begins with `answer'.
(setq completing-read-function
      (lambda (prompt collection &rest _)
        (push prompt questions)
        (seq-find (lambda (c) (string-prefix-p answer c)) (all-completions "" collection))))

;; From docs/lsp.md.
(load (getenv "SNIPPET"))

(find-file (car (last command-line-args)))
(text-mode)
(eglot-ensure)

(defun agent (text)
  (setq transcript nil)
  (agent-ls-prompt text (lambda (answer) (setq transcript (plist-get answer :transcript)))))

(defun buffer-is (text) (equal (buffer-string) text))

(defvar steps
  (list
   (list "connected"
         (lambda () (eglot-current-server))
         (lambda () (agent "/read a.txt")))
   (list "a prompt is answered"
         (lambda () (and transcript (string-match-p "2: two" transcript)))
         (lambda ()
           (goto-char (point-min))
           (insert "typed ")
           (eglot--signal-textDocument/didChange) ; as it does half a second later
           (agent "/read a.txt\n/edit {\"file_path\":\"a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}")))
   (list "permission is asked with the change"
         (lambda () (seq-some (lambda (q) (string-match-p "wants to change files" q)) questions))
         #'ignore)
   (list "the edit arrives, and what was typed stays"
         (lambda () (and transcript (string-match-p "2 completed" transcript) (buffer-is "typed one\n2\nthree\n")))
         (lambda ()
           (goto-char (point-min))
           (search-forward "2")
           (setq answer "Undo" last-nonmenu-event ?x) ; a key, not the mouse
           (call-interactively #'eglot-code-actions)))
   (list "the hunk is undone"
         (lambda () (buffer-is "typed one\ntwo\nthree\n"))
         (lambda () (end 0))))
  "What to wait for, by its name, and what to do then.")

(defun advance ()
  "Take the next step when its time has come."
  (with-current-buffer "a.txt"
    (pcase-let ((`(,what ,ready ,act) (car steps)))
      (cond
       ((funcall ready)
        (say (format "ok    emacs: %s" what))
        (setq steps (cdr steps) begun (float-time))
        (condition-case err (funcall act)
          (error (say (format "FAIL  emacs: %S" err)) (end 1))))
       ((> (- (float-time) begun) 60)
        (say (format "FAIL  emacs: %s\n%s\n%s" what (buffer-string) transcript))
        (end 1))))))

(run-with-timer 0.1 0.05 #'advance)
