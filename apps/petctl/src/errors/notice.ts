import { harmless } from '../out/harmless.ts';

/** The line of a notice that is no error. */
export function noticeLine(message: string, json: boolean): string {
  return json ? `${harmless(JSON.stringify({ notice: { message } }))}\n` : `petctl: ${harmless(message)}\n`;
}
