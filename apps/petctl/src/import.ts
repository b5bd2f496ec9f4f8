import { fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { exactJson, type Operation } from '@petstore/types';
import type { Command } from 'commander';
import { CliError, type ErrorKind, notice, reportError, UsageError } from './errors.ts';
import type { Input } from './input.ts';
import { checkOutput, columnsOf, printer } from './output.ts';
import { type ImportRecord, openText, readRecords } from './records.ts';
import { senderFor } from './send.ts';
import { type Settings, settingsOf } from './settings.ts';
import { codeOf } from './text.ts';

const CONCURRENCY = 8;
/** So many failures of the service in a row end an import. */
const MAX_FAILURES = 16;
/** For each, an import remembers how often it has occurred. */
const MAX_DIFFERENT_RECORDS = 1_000_000;

const repeatHint =
  'Run the same import again within 24 hours: records that were added are skipped.';

/** Adds the command that calls an operation for each record of a file. */
export function addImport(parent: Command, name: string, operation: Operation): void {
  const command = parent
    .command(name)
    .summary(`${operation.summary}, for each record of a file`)
    .description(
      `Reads JSON Lines, a JSON array or CSV with a header, as -o jsonl, json and csv print, and runs \`${operation.id}\` for each ` +
        'record. Prints the results unless stdout is a terminal and no format is given. Ctrl-C stops after the calls in ' +
        `progress.${operation.idempotencyKey ? ` ${repeatHint}` : ''}`,
    )
    .argument('<file>', 'The file, or - for stdin.')
    .option(
      '--failed <file>',
      'Store the records that are not added in this file, to correct and import them.',
    )
    .action((file: string) => runImport(operation, file, command));
  if (operation.idempotencyKey)
    command.option(
      '--again',
      'Add all records, also those that an import of the last 24 hours added.',
    );
}

async function runImport(operation: Operation, file: string, command: Command): Promise<void> {
  const settings = settingsOf(command);
  const { failed: failedFile, again } = command.opts<{ failed?: string; again?: true }>();
  await checkOutput(operation, command);
  const send = await senderFor(operation, command);
  const source = openText(file);
  const [header, records] = await readRecords(source.chunks, operation);
  const keyOf = await recordKeys(operation, again);
  const isShown =
    !process.stdout.isTTY || settings.output !== undefined || settings.jq !== undefined;
  const out = isShown ? await printer(columnsOf(operation), true, command) : undefined;
  const counts = { created: 0, existing: 0, failed: 0 };
  let done = 0;
  const bar = progressBar(isShown && process.stdout.isTTY, settings, source.size, () =>
    summary(counts),
  );
  let failuresInRow = 0;
  let stopReason: unknown;
  const stop = (reason: unknown) => {
    stopReason ??= reason;
  };
  const addFailed =
    failedFile === undefined ? undefined : openFailed(failedFile, file, header, stop);
  addFailed?.();

  const importRecord = async (record: ImportRecord) => {
    let copies = () => 1;
    try {
      const input = record.input();
      const key = keyOf(input);
      copies = key.copies;
      if (stopReason !== undefined) return addFailed?.(record, copies());
      const { data, response } = await send(input, key.options);
      counts[response.headers.get('idempotency-replayed') === 'true' ? 'existing' : 'created']++;
      failuresInRow = 0;
      await out?.write([data]);
    } catch (error) {
      const kind = error instanceof CliError ? error.kind : 'bug';
      if (kind === 'failed') failuresInRow++;
      if (kind !== 'unwritten') addFailed?.(record, copies());
      // An error that says something about this record costs the record; any other ends the import.
      const isOfRecord =
        /^(usage|rejected|not_found|failed)$/.test(kind) && failuresInRow <= MAX_FAILURES;
      if (!isOfRecord || stopReason !== undefined) return stop(error);
      counts.failed++;
      bar.clear();
      const { message, details } = error as CliError;
      reportError(
        new CliError(
          'partial',
          kind === 'usage' ? message : `${record.place}: ${message}`,
          undefined,
          details,
        ),
      );
    }
    done += Buffer.byteLength(record.text) + 1;
    bar.draw(done);
  };
  const stopAtSignal = (kind: ErrorKind) => () => {
    stop(new CliError(kind, 'Interrupted.'));
    // A file is read to its end only to store the records that are left.
    if (file === '-' || !addFailed) source.close();
    bar.clear();
    notice('Waiting for the calls in progress. Press Ctrl-C again to stop at once.', settings);
  };
  // The second signal ends the process.
  process.once('SIGINT', stopAtSignal('interrupted')).once('SIGTERM', stopAtSignal('terminated'));

  async function* untilStopped() {
    try {
      for await (const record of records) {
        if (stopReason !== undefined && !addFailed) return;
        yield record;
      }
    } catch (error) {
      stop(error);
    }
  }
  await Readable.from(untilStopped()).forEach(importRecord, { concurrency: CONCURRENCY });
  await out?.end().catch(stop);
  bar.clear();
  const total = `${summary(counts)}.`;
  const rest =
    failedFile && `${failedFile} has the records that are not added: correct and import it.`;
  if (stopReason !== undefined) {
    const usage =
      stopReason instanceof CliError && stopReason.kind === 'usage' ? stopReason : undefined;
    if (usage && counts.created + counts.existing + counts.failed === 0) throw stopReason;
    const isRepeatable = operation.idempotencyKey !== undefined && !again;
    notice([total, isRepeatable && repeatHint, rest].filter(Boolean).join(' '), settings);
    // A usage error would mean that nothing was sent.
    throw usage ? new CliError('partial', usage.message, usage.hint) : stopReason;
  }
  if (counts.failed > 0)
    throw new CliError('partial', total, rest ?? 'Use --failed FILE to store the failed records.');
  notice(
    counts.existing > 0 ? `${total} Existing ones are skipped without --again.` : total,
    settings,
  );
}

function summary(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'created');
  return parts.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** A key for each record, from its content and the number of equal records before it: a second import adds only new ones. */
async function recordKeys({ id, idempotencyKey: hasKeys }: Operation, again: true | undefined) {
  // Loaded on demand, because it is a fifth of a start.
  const { createHash, randomUUID } = await import('node:crypto');
  const equals = new Map<string, { read: number; stored: number }>();
  const digest = (...parts: unknown[]) =>
    createHash('sha256').update(parts.join('\n')).digest('base64url');
  return (input: Input) => {
    if (!hasKeys) return { options: {}, copies: () => 1 };
    const members = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
    const content = digest(id, again ? randomUUID() : '', exactJson(members));
    const equal = equals.get(content) ?? { read: 0, stored: 0 };
    if (equals.size >= MAX_DIFFERENT_RECORDS)
      throw new CliError('partial', 'The file has too many records. Split it.');
    equals.set(content, equal);
    const ordinal = equal.read++;
    /** How often the --failed file needs the record: its import counts from the first of equal records on, too. */
    const copies = () => {
      const missing = Math.max(0, ordinal + 1 - equal.stored);
      equal.stored += missing;
      return missing;
    };
    return { options: { idempotencyKey: digest(content, ordinal) }, copies };
  };
}

/** A function that adds records to the --failed file. Without one it opens the file. */
function openFailed(name: string, source: string, header: string, stop: (error: CliError) => void) {
  const before = statSync(name, { throwIfNoEntry: false });
  const { dev, ino } = source === '-' ? fstatSync(process.stdin.fd) : statSync(source);
  if (before?.isFile() && before.dev === dev && before.ino === ino)
    throw new UsageError(`--failed: ${name} is the file to import.`, 'Pass another file.');
  let text = header;
  let descriptor: number | undefined;
  return (record?: ImportRecord, copies = 1) => {
    try {
      descriptor ??= openSync(name, 'w');
      for (let missing = record ? copies : 0; missing > 0; missing--) {
        writeFileSync(descriptor, `${text}${record?.text}\n`);
        text = '';
      }
    } catch (error) {
      const kind = descriptor === undefined ? 'usage' : 'unwritten';
      stop(
        new CliError(
          kind,
          `${name} cannot be written (${codeOf(error)}).`,
          'Check its folder and the disk.',
        ),
      );
    }
  };
}

const REDRAW_MS = 100;

/** A progress bar on stderr, if it is a terminal that can erase a line, and no results are shown on the same one. */
function progressBar(isTaken: boolean, settings: Settings, size: number, text: () => string) {
  const { isTTY, columns } = process.stderr;
  const isShown =
    isTTY && !isTaken && !settings.quiet && !settings.verbose && process.env.TERM !== 'dumb';
  let drawnAt = Number.NEGATIVE_INFINITY;
  const show = (line: string) => isShown && process.stderr.write(`\r\u001b[K${line}`);
  const draw = (done: number) => {
    if (performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    const share = Math.min(1, done / size);
    const bar =
      size === 0
        ? ''
        : `[${'#'.repeat(share * 24).padEnd(24, '-')}] ${Math.floor(share * 100)} %  `;
    // A line that wraps could not be erased.
    show((bar + text()).slice(0, (columns || 80) - 1));
  };
  return { draw, clear: () => show('') };
}
