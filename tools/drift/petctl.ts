// D5: petctl's commands, flags, help, requests and reference page are those of the spec.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { buildPetctl, helpOf, page, petctlFile, referenceOf } from '../reference.ts';
import { textOf } from '../repository.ts';
import { compareRequest, type Inputs, inputMembersOf, validInputs } from './requests.ts';
import { list, type Node, node, type Operation, type Parameter, type Schema, type Spec } from './spec.ts';
import { differ, membersOf, type Report, readJson, validValues, writeJson } from './values.ts';

const ownCommands = /^(?:|(?:auth|completion|help)\b.*|\S+ import)$/;
const ownFlags = 'all curl data dry-run help idempotency-key limit page-size'.split(' ').map((name) => `--${name}`);

/** The help of petctl's commands, which two checks read. */
let help: Promise<Map<string, string>> | undefined;
export function petctlHelp(): Promise<Map<string, string>> {
  if (!help) buildPetctl();
  help ??= helpOf(petctlFile);
  return help;
}

export async function check(spec: Spec, report: Report): Promise<void> {
  const all = await petctlHelp();
  const words = spec.operations.map(commandOf);
  const groups = words.map((each) => each.split(' ')[0]);
  const others = [...all.keys()].filter((each) => !ownCommands.test(each) && !groups.includes(each));
  differ(report, 'the set of commands', others.sort(), [...words].sort());
  const [, reference] = /<!-- reference -->\n([\s\S]*)<!-- \/reference -->/.exec(textOf(page)) ?? [];
  if (reference !== referenceOf(all)) report(`the reference in ${page} is not what petctl prints`, 'run npm run docs');
  const known = spec.operations.filter((operation) => all.has(commandOf(operation)));
  const checked = known.map(async (operation) => {
    checkHelp(spec, operation, all, report);
    const inputs = validInputs(spec, operation);
    for (const each of inputs) await checkRequest(spec, operation, each, report);
    if (operation.body) await checkRequest(spec, operation, inputs[0], report, true);
    if (operation.declared.deprecated) await checkWarning(spec, operation, inputs[0], report);
  });
  await Promise.all(checked);
}

function checkHelp(spec: Spec, operation: Operation, all: Map<string, string>, report: Report): void {
  const { declared, pagination } = operation;
  const command = commandOf(operation);
  const text = all.get(command) ?? '';
  const rows = rowsOf(text);
  const fields = fieldsOf(spec, operation);
  for (const { flag, required, schema, in: place, name } of fields) {
    const row = rows.get(flag) ?? rows.get(flag.replaceAll(/[<>]/g, ''));
    const what = `'${command}' ${flag}: the help`;
    if (row === undefined) report(`${what} lacks it`);
    // The limit of a page is here that of the results, over pages.
    if (row === undefined || name === pagination?.limit) continue;
    if (place !== 'path') differ(report, `${what}: required`, /\brequired\b/i.test(row), required);
    const { enum: values = [], minimum, maximum, default: usual } = spec.follow(schema);
    const [, choices = ''] = /(?:one of|choices:?) ([^;)]*)/.exec(row) ?? [];
    const shown = choices.split(', ').map((choice) => choice.replaceAll(/["'`]/g, '').trim());
    differ(report, `${what}: the values`, shown.filter(Boolean), values.map(String));
    for (const value of [minimum, maximum, usual].filter((each) => each !== undefined))
      if (!new RegExp(`(?<![\\w.-])${RegExp.escape(String(value))}(?![\\w.]*\\d)`).test(row))
        report(`${what} does not say ${value}`);
  }
  const known = [...fields.map(({ flag }) => flag), ...rowsOf(all.get('') ?? '').keys(), ...ownFlags];
  for (const flag of rows.keys())
    if (flag.startsWith('--') && !known.includes(flag)) report(`'${command}' ${flag}: the spec has no such input`);
  const flat = `${text} ${all.get(command.split(' ')[0] ?? '')}`.replaceAll(/\s+/g, ' ');
  const successor = spec.operations.find(({ id }) => id === declared['x-successor']);
  const notices = declared.deprecated ? ['eprecated', declared['x-sunset'], successor && commandOf(successor)] : [];
  for (const notice of [declared.summary, ...notices])
    if (notice && !flat.includes(String(notice))) report(`'${command}': the help does not say '${notice}'`);
  if (!declared.deprecated && /deprecated/i.test(text)) report(`'${command}': the help says that it is deprecated`);
}

/** What the help says about each flag, argument and command. */
export function rowsOf(text: string): Map<string, string> {
  const rows = new Map<string, string>();
  for (const [, name = '', said = ''] of text.matchAll(/^ {2}(?:-\w, )?([\w<-]\S*).*?(?: {2,}(.*(?:\n {6,}.*)*)|$)/gm))
    rows.set(name.replace('[no-]', ''), said.replaceAll(/\s+/g, ' '));
  return rows;
}

/** The request of a dry run is the one that the spec requires. */
async function checkRequest(spec: Spec, operation: Operation, inputs: Inputs, report: Report, asJson = false) {
  const command = commandOf(operation);
  const fields = fieldsOf(spec, operation);
  const members = Object.entries(node(inputs.body));
  const isFlag = ([name, value]: [string, unknown]) => value !== null && fields.some((each) => each.name === name);
  const asFlags = !asJson && inputMembersOf(spec, operation) !== undefined && members.every(isFlag);
  const values: Node = { ...inputs.parameters, ...(asFlags && node(inputs.body)) };
  const args = fields.flatMap(({ name, flag, in: place }) =>
    [values[name] ?? []].flat().map((value) => (place === 'path' ? `${value}` : `${flag}=${value}`)),
  );
  if (inputs.body !== undefined && !asFlags) args.push(`--data=${writeJson(inputs.body)}`);
  // A process takes no such argument.
  if (args.some((each) => each.includes('\0'))) return;
  const { stdout, stderr } = await petctl([...command.split(' '), ...args, '--dry-run', '-o', 'json'], spec, 9);
  const name = `petctl ${command} ${args.join(' ').slice(0, 100)}`;
  if (!stdout.startsWith('{')) return report(`${name} --dry-run: ${stderr.trim() || 'it prints no JSON'}`);
  const { method, url, headers, body = '' } = node(readJson(stdout));
  const sent = new Request(String(url), { method: String(method), headers: headers as Record<string, string> });
  compareRequest(spec, operation, inputs, sent, typeof body === 'string' ? body : writeJson(body), name, report);
  if (!sent.headers.get('authorization')?.startsWith('Bearer ')) report(`${name}: there is no bearer key`);
}

/** A deprecated command warns when it runs. */
async function checkWarning(spec: Spec, operation: Operation, inputs: Inputs, report: Report): Promise<void> {
  const { body } = operation.responses[200] ?? {};
  const service = createServer((_, response) => {
    response.writeHead(200, { 'content-type': body?.type ?? 'application/json' });
    response.end(writeJson(body ? validValues(spec, body.schema)[0] : {}));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const args = [...commandOf(operation).split(' '), ...Object.values(inputs.parameters).map(String), '--verbose'];
  const { stderr } = await petctl(args, spec, port);
  service.close();
  for (const notice of ['deprecated', operation.declared['x-sunset']])
    if (!stderr.includes(String(notice))) report(`petctl ${args.join(' ')}: stderr does not say ${notice}`);
}

/** Runs petctl to its end, whether it fails or not. */
async function petctl(
  args: readonly string[],
  { basePath }: Spec,
  port: number,
): Promise<{ stdout: string; stderr: string }> {
  const url = { PETCTL_BASE_URL: `http://127.0.0.1:${port}${basePath}` };
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, XDG_CONFIG_HOME: '/nonexistent', PETCTL_KEYRING: 'false', PETCTL_API_KEY: 'drift', ...url };
  return promisify(execFile)(process.execPath, [petctlFile, ...args], { env }).catch((error) => error);
}

type Field = Omit<Parameter, 'example'> & { readonly flag: string };

/** The parameters and the scalar members of the body, in the order of the path where they stand in it. */
function fieldsOf(spec: Spec, operation: Operation): Field[] {
  const { parameters, pagination, path, body } = operation;
  const { required } = membersOf(spec, body?.schema);
  const isScalar = ({ type, enum: values }: Schema) => values || !/object|array|undefined/.test(String(type));
  const ofBody = Object.entries(inputMembersOf(spec, operation) ?? {})
    .filter(([, schema]) => isScalar(spec.follow(schema)))
    .map(([name, schema]) => ({ name, in: 'body', required: required.includes(name), schema }));
  const placed = [...parameters].sort((a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`));
  return [...placed, ...ofBody].map(({ name, in: place, required = false, schema }) => {
    const word = name === pagination?.limit ? 'limit' : kebab(name);
    return { name, in: place, required, schema, flag: place === 'path' ? `<${word}>` : `--${word}` };
  });
}

/** The words of an operation's command: its tag, and its name without the noun of the tag. */
export function commandOf({ id, path, declared }: Operation): string {
  if (declared['x-command'] !== undefined) return String(declared['x-command']);
  const [tag = path.split('/').find((part) => /^\w/.test(part)) ?? 'root'] = list(declared.tags);
  const group = kebab(String(tag));
  const singular = (word: string) => word.replace(/ies$/, 'y').replace(/(?<![sui])s$/, '');
  const nouns = [...group.split('-'), ...group.split('-').map(singular), singular(group)];
  const [verb, ...words] = kebab(id).split('-');
  return `${group} ${[verb, ...words.filter((word) => !nouns.includes(word))].join('-')}`;
}

const kebab = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, '-').toLowerCase();
