import { isDeepStrictEqual } from 'node:util';
import { jsonText } from '../../../openapi/body.ts';
import { parseJson, readJson } from '../../../openapi/compare.ts';
import { resolve } from '../../../openapi/document.ts';
import type { Example } from '../../../openapi/examples.ts';
import { inputOf, type RecordedResponse, recorder } from '../../../openapi/recorder.ts';
import { propertyNames } from '../../../openapi/sample.ts';
import { exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { isNode, type ModelOperation, node, pathNames } from '../../openapi.ts';
import { jsonResponse, requestDifferences } from '../client/requests.ts';
import { dataFor, excerpt, inputsFor, successesOf } from '../values.ts';
import type { Subject } from './inputs.ts';
import { outputOf, runPetctl } from './run.ts';

/** Differences between the spec and what a command sends, prints and exits with, one sentence each. */
export async function* runErrors(subject: Subject): AsyncGenerator<string> {
  const { spec, operation, modelOperation } = subject;
  const all = inputsFor(operation, spec).filter(({ inputs }) => hasWords(inputs, modelOperation));
  const full = (all.find(({ label }) => label === 'all') ?? all[0])?.inputs;
  if (!full) return;
  const lines: CommandLine[] = [...all, ...commandLines(subject, full, all)];
  for (const { label, inputs, words = wordsFor(subject, inputs), headers } of lines) {
    const { sent, stderr } = await run(subject, words);
    const expected = expectedRequest(spec, modelOperation.id, inputs, exampleCredentials(spec));
    const described = { ...expected, headers: { ...expected.headers, ...headers } };
    yield* requestDifferences(label, described, sent[0], stderr.trim());
  }
  yield* outputErrors(subject, full);
  yield* exitErrors(subject, full);
}

/** A command line, and the inputs and headers that its request has to contain. */
interface CommandLine {
  readonly label: string;
  readonly inputs: Inputs;
  readonly words?: string[];
  readonly headers?: Record<string, string>;
}

/** Command lines with flags that are not inputs: --idempotency-key, and --data for a body as JSON. */
function* commandLines(subject: Subject, full: Inputs, examples: readonly Example[]): Generator<CommandLine> {
  const { idempotencyKey, body } = subject.modelOperation;
  if (idempotencyKey) {
    const words = ['--idempotency-key=of-the-caller', ...wordsFor(subject, full)];
    const headers = { [idempotencyKey.header.toLowerCase()]: 'of-the-caller' };
    yield { label: 'an idempotency key', inputs: full, words, headers };
  }
  if (!isNode(full.body) || body?.kind !== 'json' || body.whole) return;
  const data = `--data=${jsonText(full.body)}`;
  const { body: _, ...others } = full;
  yield { label: '--data', inputs: full, words: [data, ...wordsFor(subject, others)] };
  const other = examples.findLast(({ inputs }) => isNode(inputs.body) && inputs.body !== full.body)?.inputs;
  if (!other) return;
  const inputs = { ...other, body: { ...full.body, ...node(other.body) } };
  yield { label: 'flags beside --data', inputs, words: [data, ...wordsFor(subject, other)] };
}

/** Runs the command with a recorder instead of a service, which always returns the same response. */
async function run(
  { petctl, spec, modelOperation }: Subject,
  words: readonly string[],
  response: Partial<RecordedResponse> = {},
  isTerminal = false,
) {
  const credentials = exampleCredentials(spec);
  const env: Record<string, string> = { XDG_CONFIG_HOME: '/nonexistent' };
  for (const { name, variable } of petctl.schemes()) {
    const credential = credentials[name] ?? '';
    env[variable] = typeof credential === 'string' ? credential : `${credential.username}:${credential.password}`;
  }
  const [server = ''] = Object.values(spec.model.service.deployments);
  const base = new URL(modelOperation.server ?? server, new URL(server, 'http://localhost')).href.replace(/\/$/, '');
  const { sent, transport } = recorder(base, response);
  // A response of the recorder has all members that petctl uses of a response.
  const options = { env, isTerminal, transport: transport as never };
  const absolute = URL.canParse(server) ? [] : ['--base-url', base];
  const ended = await runPetctl(petctl, [...modelOperation.command, '--retries=0', ...absolute, ...words], options);
  return { ...ended, stdout: Buffer.from(ended.stdout).toString(), sent };
}

/** Whether these inputs can be words of a command line. Files and bodies of other media types cannot, and are tested elsewhere. */
function hasWords({ contentType }: Inputs, { body }: ModelOperation): boolean {
  return contentType === undefined || (contentType === body?.mediaType && /json|form$/.test(body.kind));
}

/** The flags and arguments for inputs. */
function wordsFor({ modelOperation, command: { node } }: Subject, inputs: Inputs): string[] {
  const values: Readonly<Record<string, unknown>> = { ...inputOf(modelOperation, inputs) };
  const words = Object.entries(values).flatMap(([name, value]) => {
    const flag = node.flags?.find(({ field }) => field === name);
    const isText =
      typeof value === 'string' &&
      !(name === 'body' && modelOperation.body?.whole && modelOperation.body.kind === 'json');
    return flag ? [`--${flag.name}=${isText ? value : jsonText(value)}`] : [];
  });
  return [...words, '--', ...pathNames(modelOperation.path).map((name) => String(values[name]))];
}

/** Errors in the output of a success: JSON has to contain all data, and csv and table a column for each property. */
async function* outputErrors(subject: Subject, inputs: Inputs): AsyncGenerator<string> {
  const { spec, operation, modelOperation } = subject;
  const [status = 200, schema] = successesOf(spec, operation)[0] ?? [];
  const [data] = dataFor(spec, schema);
  if (!schema || modelOperation.successes.length > 1 || ![data].flat().every(isNode)) return;
  const print = async (format: string, isTerminal = false) => {
    const words = [`--output=${format}`, '--no-color', ...wordsFor(subject, inputs)];
    return (await run(subject, words, jsonResponse(status, jsonText(data)), isTerminal)).stdout;
  };
  const itemsProperty = modelOperation.pagination?.items;
  const expected = itemsProperty === undefined ? data : node(data)[itemsProperty];
  const json = await print('json');
  if (!isDeepStrictEqual(readJson(json), parseJson(jsonText(expected))))
    yield `-o json writes ${json.slice(0, 200)}, not ${excerpt(expected)}`;
  const { items } = resolve(spec, schema);
  const names = propertyNames(spec, isNode(items) ? items : schema, 0);
  if (names.length === 0 || itemsProperty !== undefined) return;
  const [csv = ''] = (await print('csv')).split('\n');
  const [title = ''] = (await print('table', true)).split('\n');
  const columns = title.split(/ {2,}/).map((column) => column.replaceAll(' ', '').toLowerCase());
  if (csv !== names.join(',')) yield `-o csv has the columns ${csv}, not ${names}`;
  if (columns.join() !== names.join().toLowerCase()) yield `a table has the columns ${title}, not ${names}`;
}

/** Errors in the exit code and in the printed error, for each error status. */
async function* exitErrors(subject: Subject, inputs: Inputs): AsyncGenerator<string> {
  const help = await outputOf(subject.petctl, 'help', 'exit-codes');
  const described = (pattern: string) => new RegExp(`^ +(\\d+) {2}.*${pattern}`, 'm').exec(help)?.[1];
  const exitCodeOf = (status: number) => Number(described(`\\b${status}\\b`) ?? described(`\\b${String(status)[0]}xx`));
  const statuses = Object.entries(subject.spec.model.service.statuses);
  // The spec has no code for 403, but the help names an exit code for this status.
  for (const [code, status] of [...statuses, ['forbidden', 403] as const]) {
    const error = { code, message: `It is ${code}.`, status };
    const response = jsonResponse(status, jsonText(error), { 'x-request-id': 'r' });
    const { code: exit, stderr } = await run(subject, ['--output=json', ...wordsFor(subject, inputs)], response);
    const { hint: _, ...line } = node(node(readJson(stderr)).error);
    const expected = { ...error, requestId: 'r', exit: exitCodeOf(status) };
    if (exit !== expected.exit) yield `${status} ends with the exit code ${exit}, and the help says ${expected.exit}`;
    if (!isDeepStrictEqual(line, expected)) yield `${status} is reported as ${excerpt(line)}, not ${excerpt(expected)}`;
  }
}
