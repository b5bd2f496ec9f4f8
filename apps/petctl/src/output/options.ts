import type { Io } from '../io/io.ts';
import { escapeControls } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import type { Resolved } from '../settings/profiles.ts';
import { type Output, settings } from '../settings/settings.ts';

/** The output format: the setting, else the default of the command, else a table on a terminal and tab-separated in a pipe. */
export function outputOf(resolved: Resolved, { stdout }: Io, defaultFormat?: Output): Output {
  return resolved.of(settings.output).value ?? defaultFormat ?? (stdout.isTerminal ? 'table' : 'tsv');
}

/** Whether errors and notices are JSON. */
export function inJson(resolved: Resolved): boolean {
  return isJson(resolved.of(settings.output).value);
}

export function isJson(output: string | undefined): boolean {
  return output === 'json' || output === 'jsonl';
}

/** Whether to use colours on stdout: by flag, NO_COLOR, FORCE_COLOR, setting, or terminal, in this order. */
export function colored(flags: Invocation['flags'], { env, stdout }: Io, resolved?: Resolved): boolean {
  const flag = flags.get(settings.color.flag.name);
  if (typeof flag === 'boolean') return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return resolved?.of(settings.color).value ?? (stdout.isTerminal && env.TERM !== 'dumb');
}

/** The line of a notice. */
export function noticeLine(message: string, json: boolean): string {
  return json ? `${escapeControls(JSON.stringify({ notice: { message } }))}\n` : `petctl: ${escapeControls(message)}\n`;
}

/** Whether to write notices that scripts do not need. */
export function wantsNotices({ io, flags }: Invocation): boolean {
  return !flags.has('quiet') && (io.stderr.isTerminal || flags.has('verbose'));
}

/** Writes a notice to stderr, unless --quiet is set. */
export async function writeNotice({ io, flags, settings }: Invocation, message: string): Promise<void> {
  if (!flags.has('quiet')) await io.stderr.write(noticeLine(message, inJson(settings)));
}
