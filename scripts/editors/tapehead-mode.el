;;; tapehead-mode.el --- Major mode for scripts of tapehead  -*- lexical-binding: t; -*-

;; License: GPL-3.0-or-later

;;; Commentary:
;; Colours, comments and indentation of .th files; C-c C-c sends the region, or the whole buffer, to
;; a tapehead that runs in a window beside.

;;; Code:

(require 'comint)

(defgroup tapehead nil "Scripts of tapehead." :group 'languages)

(defcustom tapehead-program "tapehead" "The program that is run." :type 'string)

(defconst tapehead--commands (split-string "else @commands@"))
(defconst tapehead--kinds (split-string "@kinds@"))
(defconst tapehead--functions (split-string "@functions@"))

(defconst tapehead-font-lock
  `(("^\\s-*!.*" . font-lock-preprocessor-face)
    ("\\$\\(?:[[:alpha:]_][[:alnum:]_]*\\|{[[:alpha:]_][[:alnum:]_]*}\\)" 0 font-lock-variable-name-face t)
    ("\\_<[[:alpha:]_][[:alnum:]_]*\\(?:=\\)" . font-lock-constant-face)
    (,(regexp-opt tapehead--commands 'symbols) . font-lock-keyword-face)
    (,(regexp-opt tapehead--kinds 'symbols) . font-lock-type-face)
    (,(regexp-opt tapehead--functions 'symbols) . font-lock-function-name-face)
    (,(regexp-opt '("in" "on" "as" "and" "or" "not") 'symbols) . font-lock-builtin-face))
  "What is coloured in `tapehead-mode'.")

(defvar tapehead-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "_" table)
    table)
  "Comments begin with #, strings stand between double quotes.")

(defun tapehead-indent-line ()
  "Indent by two blanks for each brace that is open."
  (interactive)
  (let* ((depth (save-excursion (beginning-of-line) (car (syntax-ppss))))
         (closes (save-excursion (back-to-indentation) (looking-at "[]})]"))))
    (save-excursion (indent-line-to (* 2 (max 0 (- depth (if closes 1 0))))))
    (when (< (current-column) (current-indentation)) (back-to-indentation))))

(defun tapehead-run ()
  "Start tapehead in a window beside this one, or show it."
  (interactive)
  (pop-to-buffer (make-comint "tapehead" tapehead-program nil "--interactive")))

(defun tapehead-send (begin end)
  "Send the region from BEGIN to END, or the whole buffer, to tapehead."
  (interactive (if (use-region-p) (list (region-beginning) (region-end))
                 (list (point-min) (point-max))))
  (let ((text (buffer-substring-no-properties begin end)))
    (save-selected-window (tapehead-run))
    (comint-send-string "*tapehead*" (concat text "\n"))))

(defvar tapehead-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'tapehead-send)
    (define-key map (kbd "C-c C-z") #'tapehead-run)
    map)
  "Keys of `tapehead-mode'.")

;;;###autoload
(define-derived-mode tapehead-mode prog-mode "tapehead"
  "Major mode for scripts of tapehead."
  (setq-local comment-start "# ")
  (setq-local font-lock-defaults '(tapehead-font-lock))
  (setq-local indent-line-function #'tapehead-indent-line))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.th\\'" . tapehead-mode))

(provide 'tapehead-mode)
;;; tapehead-mode.el ends here
