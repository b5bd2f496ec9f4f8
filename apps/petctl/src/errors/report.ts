import { escapeControls } from '../out/escape-controls.ts';
import type { Described } from './described.ts';

/** The line that tells of an error. */
export function errorLine(error: Described, json: boolean): string {
  if (json) return `${escapeControls(JSON.stringify({ error }))}\n`;
  const notes = [error.status && `HTTP ${error.status}`, error.requestId && `request ${error.requestId}`].filter(
    Boolean,
  );
  const parts = [error.message, notes.length > 0 && `(${notes.join(', ')})`, error.hint].filter(Boolean);
  return `petctl: ${escapeControls(parts.join(' '))}\n`;
}
