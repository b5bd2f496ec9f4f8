import type { Io } from '../io/io.ts';
import { escapeControls } from '../io/text.ts';
import type { Invocation } from '../parse/node.ts';
import type { Resolved } from '../settings/resolve.ts';
import { type Output, settings } from '../settings/settings.ts';

/** How results are written: as asked for, else a table on a terminal and tab-separated in a pipe. */
export function outputOf(resolved: Resolved, { stdout }: Io, usually?: Output): Output {
  return resolved.of(settings.output).value ?? usually ?? (stdout.isTerminal ? 'table' : 'tsv');
}

/** Whether errors and notices are JSON too. */
export function inJson(resolved: Resolved): boolean {
  return isJson(resolved.of(settings.output).value);
}

export function isJson(output: string | undefined): boolean {
  return output === 'json' || output === 'jsonl';
}

/** Whether to use colours on stdout: the flag, then NO_COLOR, then FORCE_COLOR, then the setting, then what stdout is. */
export function colored(flags: Invocation['flags'], { env, stdout }: Io, resolved?: Resolved): boolean {
  const flag = flags.get(settings.color.flag.name);
  if (typeof flag === 'boolean') return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return resolved?.of(settings.color).value ?? (stdout.isTerminal && env.TERM !== 'dumb');
}

/** The line of a notice that is no error. */
export function noticeLine(message: string, json: boolean): string {
  return json ? `${escapeControls(JSON.stringify({ notice: { message } }))}\n` : `petctl: ${escapeControls(message)}\n`;
}

/** Whether somebody is there to read what a script does not need to know. */
export function wantsNotices({ io, flags }: Invocation): boolean {
  return !flags.has('quiet') && (io.stderr.isTerminal || flags.has('verbose'));
}

/** Says something on stderr that is neither a result nor an error. */
export async function tell({ io, flags, settings }: Invocation, message: string): Promise<void> {
  if (!flags.has('quiet')) await io.stderr.write(noticeLine(message, inJson(settings)));
}
