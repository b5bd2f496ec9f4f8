import { escapeControls } from '../out/escape-controls.ts';

/** The line of a notice that is no error. */
export function noticeLine(message: string, json: boolean): string {
  return json ? `${escapeControls(JSON.stringify({ notice: { message } }))}\n` : `petctl: ${escapeControls(message)}\n`;
}
