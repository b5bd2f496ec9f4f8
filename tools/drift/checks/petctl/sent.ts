import { isDeepStrictEqual } from 'node:util';
import type { Operation as Row } from '@petstore/types';
import type { Located } from 'petctl/internal';
import { jsonText } from '../../../openapi/body.ts';
import { differences, parseJson } from '../../../openapi/compare.ts';
import { type Operation, resolve } from '../../../openapi/document.ts';
import { inputOf, type RecordedResponse, recorder } from '../../../openapi/recorder.ts';
import { propertyNames } from '../../../openapi/sample.ts';
import { exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { isNode, node, type Spec } from '../../openapi.ts';
import { dataFor, successesOf } from '../client/responses.ts';
import { excerpt, inputsFor } from '../values.ts';
import { runPetctl } from './run.ts';

type Petctl = typeof import('petctl/internal');

/** A command of an operation, and petctl to run it with. */
export interface Subject {
  readonly petctl: Petctl;
  readonly spec: Spec;
  readonly row: Row;
  readonly operation: Operation;
  readonly command: Located;
  /** What petctl says of its exit codes. */
  readonly exitCodes: string;
}

/** What a command sends, shows and ends with that the spec does not say, one sentence each. */
export async function wronglyRun(subject: Subject): Promise<string[]> {
  const { spec, operation, row } = subject;
  const all = inputsFor(spec, operation).filter(({ inputs }) => isGiven(inputs, row));
  const full = (all.find(({ label }) => label === 'all') ?? all[0])?.inputs;
  if (!full) return [];
  const found: string[] = [];
  const compare = async (what: string, inputs: Inputs, words: string[], headers: Record<string, string> = {}) => {
    const { sent, stderr } = await run(subject, words);
    const expected = expectedRequest(spec, operation.id, inputs, exampleCredentials(spec));
    const [first] = sent;
    if (!first) return found.push(`with ${what} it sends nothing: ${stderr.trim()}`);
    const wanted = { ...expected, headers: { ...expected.headers, ...headers } };
    return found.push(...differences(wanted, first).map((sentence) => `with ${what}, ${sentence}`));
  };
  for (const { label, inputs } of all) await compare(label.slice(0, 60), inputs, wordsFor(subject, inputs));
  const { idempotencyKey, body } = row;
  if (idempotencyKey) {
    const header = { [idempotencyKey.header.toLowerCase()]: 'of-the-caller' };
    await compare('a key', full, ['--idempotency-key=of-the-caller', ...wordsFor(subject, full)], header);
  }
  if (isNode(full.body) && body?.kind === 'json' && !body.whole) {
    const data = `--data=${jsonText(full.body)}`;
    const { body: _, ...others } = full;
    await compare('--data', full, [data, ...wordsFor(subject, others)]);
    const other = all.findLast(({ inputs }) => isNode(inputs.body) && inputs.body !== full.body)?.inputs;
    if (other) {
      const merged = { ...other, body: { ...full.body, ...node(other.body) } };
      await compare('flags beside --data', merged, [data, ...wordsFor(subject, other)]);
    }
  }
  return [...found, ...(await outputErrors(subject, full)), ...(await exitErrors(subject, full))];
}

/** Runs the command; the answer is always the same. */
async function run(
  { petctl, spec, row }: Subject,
  words: readonly string[],
  answer: Partial<RecordedResponse> = {},
  isTerminal = false,
) {
  const credentials = exampleCredentials(spec);
  const env: Record<string, string> = { XDG_CONFIG_HOME: '/nonexistent' };
  for (const { name, variable } of petctl.schemes()) {
    const credential = credentials[name] ?? '';
    env[variable] = typeof credential === 'string' ? credential : `${credential.username}:${credential.password}`;
  }
  const [server = ''] = Object.values(spec.model.service.deployments);
  const base = new URL(row.server ?? server, new URL(server, 'http://localhost')).href.replace(/\/$/, '');
  const { sent, transport } = recorder(base, answer);
  // What the recorder answers is what petctl's own transport does.
  const options = { env, isTerminal, transport: transport as never };
  const absolute = URL.canParse(server) ? [] : ['--base-url', base];
  const ended = await runPetctl(petctl, [...row.command, '--retries=0', ...absolute, ...words], options);
  return { ...ended, stdout: Buffer.from(ended.stdout).toString(), sent };
}

/** Whether inputs can be given as words: files and whole bodies of other types are tested elsewhere. */
function isGiven({ contentType }: Inputs, { body }: Row): boolean {
  return contentType === undefined || (contentType === body?.mediaType && /json|form$/.test(body.kind));
}

/** Flags and arguments for inputs. */
function wordsFor({ row, command: { node } }: Subject, inputs: Inputs): string[] {
  const values: Readonly<Record<string, unknown>> = { ...inputOf(row, inputs) };
  const inPath = [...row.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const words = Object.entries(values).flatMap(([name, value]) => {
    const flag = node.flags?.find(({ field }) => field === name);
    const isText = typeof value === 'string' && !(name === 'body' && row.body?.whole && row.body.kind === 'json');
    return flag ? [`--${flag.name}=${isText ? value : jsonText(value)}`] : [];
  });
  return [...words, '--', ...inPath.map((name) => String(values[name]))];
}

/** What is wrong with how a success is written: every property in its column, and all data in JSON. */
async function outputErrors(subject: Subject, inputs: Inputs): Promise<string[]> {
  const { spec, operation } = subject;
  const words = wordsFor(subject, inputs);
  const [status = 200, schema] = successesOf(spec, operation)[0] ?? [];
  const [data] = dataFor(spec, schema);
  if (!schema || subject.row.successes.length > 1 || !(isNode(data) || (Array.isArray(data) && data.every(isNode))))
    return [];
  const written = async (output: string, of: unknown, isTerminal = false) =>
    (
      await run(
        subject,
        [`--output=${output}`, '--no-color', ...words],
        { status, contentType: 'application/json', body: jsonText(of) },
        isTerminal,
      )
    ).stdout;
  const shownAs = subject.row.pagination?.items === undefined ? data : node(data)[subject.row.pagination.items];
  const json = await written('json', data);
  const found = isDeepStrictEqual(readJson(json), parseJson(jsonText(shownAs)))
    ? []
    : [`-o json writes ${json.slice(0, 200)}, not ${excerpt(shownAs)}`];
  const { items } = resolve(spec, schema);
  const names = propertyNames(spec, isNode(items) ? items : schema, 0);
  if (names.length === 0 || subject.row.pagination?.items !== undefined) return found;
  const [csv = ''] = (await written('csv', data)).split('\n');
  const [title = ''] = (await written('table', data, true)).split('\n');
  const columns = title.split(/ {2,}/).map((column) => column.replaceAll(' ', '').toLowerCase());
  const plain = names.map((name) => name.toLowerCase());
  return [
    ...found,
    ...(csv === names.join(',') ? [] : [`-o csv has the columns ${csv}, not ${names}`]),
    ...(columns.join() === plain.join() ? [] : [`a table has the columns ${title}, not ${names}`]),
  ];
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** What is wrong with the exit code, and the error, of each status that is no success. */
async function exitErrors(subject: Subject, inputs: Inputs): Promise<string[]> {
  const { spec, exitCodes } = subject;
  const said = (pattern: string) => Number(new RegExp(`^ +(\\d+) {2}.*${pattern}`, 'm').exec(exitCodes)?.[1]);
  const codeOf = (status: number) =>
    [`\\b${status}\\b`, `\\b${String(status)[0]}xx`].map(said).find((code) => !Number.isNaN(code));
  const found: string[] = [];
  const statuses = Object.entries(spec.model.service.statuses);
  for (const [code, status] of [...statuses, ['forbidden', 403] as const]) {
    const error = { code, message: `It is ${code}.`, status };
    const answer = { status, contentType: 'application/json', headers: { 'x-request-id': 'r' }, body: jsonText(error) };
    const { code: exit, stderr } = await run(subject, ['--output=json', ...wordsFor(subject, inputs)], answer);
    const { hint: _, ...line } = node(node(readJson(stderr)).error);
    const expected = { ...error, requestId: 'r', exit: codeOf(status) };
    if (exit !== expected.exit)
      found.push(`${status} ends with the exit code ${exit}, and the help says ${expected.exit}`);
    if (!isDeepStrictEqual(line, expected))
      found.push(`${status} is told as ${excerpt(line)}, not ${excerpt(expected)}`);
  }
  return found;
}
