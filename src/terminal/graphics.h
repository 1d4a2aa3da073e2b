/* graphics.h - does the terminal show pictures between its lines? */
#pragma once

enum { SH_GRAPHICS_SIXEL = 1, SH_GRAPHICS_KITTY = 2 };

/* Which of these the terminal says that it shows; 0 where standard input or output is none, or it
 * says nothing for a second.  It is asked once.  What was typed before it answered is
 * kept for the prompt. */
unsigned sh_terminal_graphics(void);
