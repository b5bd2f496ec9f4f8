import { fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { exactJson, type Operation } from '@petstore/types';
import type { Command } from 'commander';
import { type Send, senderFor } from './call.ts';
import { CliError, type ErrorKind, notice, UsageError } from './errors.ts';
import type { Input } from './input.ts';
import { checkOutput, columnsOf, type Printer, printer } from './output.ts';
import { type ImportRecord, openText, readRecords } from './records.ts';
import { type Settings, settingsOf } from './settings.ts';
import { codeOf } from './text.ts';

const CONCURRENCY = 8;
/** So many failures of the service in a row end an import. */
const MAX_FAILURES = 16;
/** For each, the import remembers how often it has occurred. */
const MAX_DIFFERENT_RECORDS = 1_000_000;

const repeatHint = 'Run the same import again within 24 hours: records that were added are skipped.';

/** Adds the command that calls an operation for each record of a file. */
export function addImport(parent: Command, name: string, operation: Operation): void {
  const command = parent
    .command(name)
    .summary(`${operation.summary}, for each record of a file`)
    .description(
      `Reads JSON Lines, a JSON array or CSV with a header, also what petctl prints, and runs \`${operation.id}\` for each ` +
        'record. Prints the results unless stdout is a terminal. Ctrl-C stops after the calls in progress.' +
        (operation.idempotencyKey ? ` ${repeatHint}` : ''),
    )
    .argument('<file>', 'The file, or - for stdin.')
    .option('--failed <file>', 'Store the records that are not added in this file, to correct and import them.');
  if (operation.idempotencyKey)
    command.option('--again', 'Add all records, also those that an import of the last 24 hours added.');
  command.action((file: string) => runImport(operation, file, command));
}

/** An import while it runs. */
interface Run {
  readonly settings: Settings;
  readonly send: Send;
  readonly keyOf: (input: Input) => string | undefined;
  readonly out: Printer | undefined;
  readonly addFailed: ((record: ImportRecord) => void) | undefined;
  readonly bar: ReturnType<typeof progressBar>;
  readonly counts: { created: number; existing: number; failed: number };
  failuresInRow: number;
  /** The error or signal after which nothing more is sent. */
  stopReason: unknown;
}

async function runImport(operation: Operation, file: string, command: Command): Promise<void> {
  const settings = settingsOf(command);
  const { failed: failedFile, again } = command.opts<{ failed?: string; again?: true }>();
  await checkOutput(operation, command);
  const send = await senderFor(operation, command);
  const source = openText(file);
  const { records, header } = await readRecords(source.chunks, operation);
  const showsResults = !process.stdout.isTTY || settings.output !== undefined || settings.jq !== undefined;
  const counts = { created: 0, existing: 0, failed: 0 };
  const run: Run = {
    settings,
    send,
    keyOf: operation.idempotencyKey ? await idempotencyKeys(operation, again) : () => undefined,
    out: showsResults ? await printer(columnsOf(operation), true, command) : undefined,
    addFailed: failedFile === undefined ? undefined : openFailed(failedFile, file, header),
    bar: progressBar(settings, source.progress, () => summary(counts)),
    counts,
    failuresInRow: 0,
    stopReason: undefined,
  };
  const stopAtSignal = (kind: ErrorKind) => () => {
    run.stopReason ??= new CliError(kind, 'Interrupted.');
    // A file is read to its end only to store the records that are left.
    if (file === '-' || !run.addFailed) source.close();
    run.bar.clear();
    notice('Waiting for the calls in progress. Press Ctrl-C again to stop at once.', settings);
  };
  // The second signal ends the process.
  process.once('SIGINT', stopAtSignal('interrupted')).once('SIGTERM', stopAtSignal('terminated'));
  await importAll(run, records);
  run.bar.clear();
  const isRepeatable = operation.idempotencyKey !== undefined && !again;
  finish(run, isRepeatable ? repeatHint : undefined, failedFile);
}

/** Sends all records, a few at the same time. After a stop, stores the others in the --failed file. */
async function importAll(run: Run, records: AsyncIterable<ImportRecord>): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    for await (const record of records) {
      if (run.stopReason !== undefined && !run.addFailed) break;
      const call = importRecord(run, record).finally(() => running.delete(call));
      running.add(call);
      if (running.size >= CONCURRENCY) await Promise.race(running);
    }
    await Promise.all(running);
    await run.out?.end();
  } catch (error) {
    run.stopReason ??= error;
    // A failure of the output or of the file: what is in progress has to be waited for.
    await Promise.allSettled(running);
  }
}

async function importRecord(run: Run, record: ImportRecord): Promise<void> {
  const { counts, out, addFailed, bar } = run;
  if (run.stopReason !== undefined) return addFailed?.(record);
  try {
    const input = record.input();
    const idempotencyKey = run.keyOf(input);
    const { data, response } = await run.send(input, idempotencyKey === undefined ? {} : { idempotencyKey });
    counts[response.headers.get('idempotency-replayed') === 'true' ? 'existing' : 'created']++;
    run.failuresInRow = 0;
    bar.clearFor(out);
    await out?.write([data]);
  } catch (error) {
    failRecord(run, record, error);
  }
  bar.draw();
}

/** An error that says something about this record costs the record; any other ends the import. */
function failRecord(run: Run, record: ImportRecord, error: unknown): void {
  const kind = error instanceof CliError ? error.kind : 'bug';
  if (kind === 'unwritten' || kind === 'bug') throw error;
  run.addFailed?.(record);
  if (kind === 'failed') run.failuresInRow++;
  const isOfRecord = ['usage', 'rejected', 'not_found', 'failed'].includes(kind) && run.failuresInRow <= MAX_FAILURES;
  if (!isOfRecord) {
    run.stopReason ??= error;
    return;
  }
  run.counts.failed++;
  run.bar.clear();
  const { message } = error as CliError;
  notice(message.startsWith(record.place) ? message : `${record.place}: ${message}`, run.settings);
}

function finish(
  { settings, counts, stopReason }: Run,
  restHint: string | undefined,
  failedFile: string | undefined,
): void {
  const total = `${summary(counts)}.`;
  const isSent = counts.created + counts.existing > 0;
  if (stopReason !== undefined) {
    // A usage error would mean that nothing was sent.
    const error =
      stopReason instanceof UsageError && isSent
        ? new CliError('partial', stopReason.message, stopReason.details)
        : stopReason;
    const rest = restHint ?? (failedFile && `${failedFile} has the records that were not added.`);
    if (!(error instanceof UsageError)) notice([total, rest].filter(Boolean).join(' '), settings);
    throw error;
  }
  if (counts.failed === 0) return notice(total, settings);
  const hint = failedFile
    ? `${failedFile} has the failed records: correct and import them.`
    : 'Use --failed FILE to store the failed records.';
  throw new CliError('partial', total, { hint });
}

function summary(counts: Run['counts']): string {
  const parts = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'created');
  return parts.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** A key for each record, from its content and the number of equal records before it: a second import adds only new ones. */
async function idempotencyKeys({ id }: Operation, again: true | undefined): Promise<(input: Input) => string> {
  // Loaded on demand, because it is a fifth of a start.
  const { createHash, randomUUID } = await import('node:crypto');
  const run = again ? randomUUID() : '';
  const counts = new Map<string, number>();
  const digest = (...parts: (string | number)[]) => createHash('sha256').update(parts.join('\n')).digest('base64url');
  return (input) => {
    const content = digest(id, run, exactJson(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))));
    const count = counts.get(content) ?? 0;
    if (counts.size >= MAX_DIFFERENT_RECORDS)
      throw new CliError('partial', 'The file has too many records.', { hint: 'Split it.' });
    counts.set(content, count + 1);
    return digest(content, count);
  };
}

/** Opens the --failed file, and returns a function that adds a record to it. */
function openFailed(name: string, source: string, header: string): (record: ImportRecord) => void {
  const before = statSync(name, { throwIfNoEntry: false });
  const { dev, ino } = source === '-' ? fstatSync(process.stdin.fd) : statSync(source);
  if (before?.isFile() && before.dev === dev && before.ino === ino)
    throw new UsageError(`--failed: ${name} is the file to import.`, 'Pass another file.');
  let descriptor: number;
  let head = header;
  try {
    descriptor = openSync(name, 'w');
  } catch (error) {
    throw new UsageError(
      `--failed: ${name} cannot be written (${codeOf(error)}).`,
      'Check its folder and permissions.',
    );
  }
  return ({ text }) => {
    try {
      writeFileSync(descriptor, `${head}${text}\n`);
      head = '';
    } catch (error) {
      throw new CliError('unwritten', `${name} could not be written (${codeOf(error)}).`, {
        hint: 'Check for a full disk.',
      });
    }
  };
}

const REDRAW_MS = 100;

/** A progress bar on stderr, if that is a terminal. */
function progressBar({ quiet, verbose }: Settings, progress: () => number | undefined, text: () => string) {
  const isShown = process.stderr.isTTY && !quiet && !verbose && process.env.TERM !== 'dumb';
  let [drawnAt, isVisible] = [0, false];
  const clear = () => {
    if (isVisible) process.stderr.write('\r\u001b[K');
    isVisible = false;
  };
  return {
    clear,
    /** Removes the bar before results that are shown on the same terminal. */
    clearFor: (out: Printer | undefined) => out && process.stdout.isTTY && clear(),
    draw: () => {
      if (!isShown || (isVisible && performance.now() - drawnAt < REDRAW_MS)) return;
      [drawnAt, isVisible] = [performance.now(), true];
      const share = progress();
      const full = Math.round((share ?? 0) * 24);
      const bar = share === undefined ? '' : `[${'#'.repeat(full).padEnd(24, '-')}] ${Math.floor(share * 100)} %  `;
      // A bar that wraps could not be erased.
      process.stderr.write(`\r\u001b[K${(bar + text()).slice(0, (process.stderr.columns || 80) - 1)}`);
    },
  };
}
