// D2: the spec is valid, and does not contradict itself. `main.ts` has found it within the supported part.
import { join } from 'node:path';
import type { Schema } from '@petstore/types';
import { problemsOf } from '../generate/refusals.ts';
import { root, textOf } from '../repository.ts';
import type { Node, Operation, Spec } from './interface.ts';
import { type Judge, judgeOf } from './judge.ts';
import { asNode, follow, isNode, propertiesOf, specFile } from './oracle.ts';
import type { Report } from './report.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const rules = {
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
  } as const;
  const config = { extends: ['recommended'], rules };
  for (const { line, column, message } of await problemsOf(spec.text, join(root, specFile), config))
    report(`${specFile}:${line}:${column}: ${message}`);
  const { version } = JSON.parse(textOf('spec/package.json'));
  if (version !== spec.version) report(`info.version is ${spec.version}, not ${version}`);
  checkCodes(spec, report);
  checkExamples(spec, report);
  checkProse(spec, report);
  const judge = judgeOf(spec);
  for (const operation of spec.operations) checkOperation(spec, judge, operation, report);
}

/** The enumeration, the statuses and the description of the error codes agree. */
function checkCodes({ document, errorStatuses }: Spec, report: Report): void {
  const schema: Schema = asNode(asNode(asNode(document.components).schemas).ErrorCode);
  for (const code of schema.enum ?? [])
    if (!errorStatuses.has(String(code))) report(`x-statuses of ErrorCode lacks ${code}`);
  const lines = String(schema.description).split('\n');
  for (const [code, status] of errorStatuses) {
    if (!schema.enum?.includes(code))
      report(`x-statuses of ErrorCode has ${code}, which is no code`);
    const line = lines.find((each) => each.includes(`\`${code}\``));
    if (!line?.includes(`(${status}`))
      report(`the description of ErrorCode does not say that ${code} has the status ${status}`);
  }
}

/** Each example of an error has the status of its code. */
function checkExamples({ document, errorStatuses }: Spec, report: Report): void {
  for (const { code, status } of nodesIn(document)) {
    const wanted = errorStatuses.get(String(code));
    if (wanted !== undefined && typeof status === 'number' && status !== wanted)
      report(`the example of ${code} has the status ${status}, not ${wanted}`);
  }
}

/** What an extension says for programs, the description beside it says for people. */
function checkProse({ document, commonHeaders }: Spec, report: Report): void {
  const words = String(asNode(document.info).description).toLowerCase();
  for (const name of commonHeaders.keys())
    if (!words.includes(`\`${name}`)) report(`info.description does not name the header ${name}`);
  for (const node of nodesIn(document)) {
    const description = String(node.description);
    const missing = statedIn(node).filter((value) => !description.includes(value));
    for (const value of missing)
      report(`the description '${description.slice(0, 40)}…' does not say ${value}`);
  }
}

function statedIn(node: Node): string[] {
  const statuses = Object.values(node['x-required-with'] ?? []).map(String);
  const hours = node['x-idempotency-hours'];
  return hours === undefined ? statuses : [...statuses, `${hours} hours`];
}

/** All objects of the document. */
function* nodesIn(value: unknown): Generator<Node> {
  if (isNode(value)) yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) yield* nodesIn(part);
}

function checkOperation(spec: Spec, judge: Judge, operation: Operation, report: Report): void {
  const { method, path, parameters, pagination, responses, successor, idempotencyKey } = operation;
  const until = Date.parse(operation.sunset ?? '');
  const items = follow(spec, responses.get('200')?.schema).items;
  const target = spec.operations.find(({ id }) => id === successor);
  const faults: Readonly<Record<string, boolean>> = {
    'the default of a parameter is invalid': parameters.some(({ schema }) =>
      hasInvalidDefault(spec, judge, schema),
    ),
    'it is deprecated without x-sunset': operation.isDeprecated && !operation.sunset,
    'x-sunset has passed': until < Date.now(),
    'x-sunset is before x-deprecated-since': until <= Date.parse(operation.deprecatedSince ?? ''),
    'x-successor is no operation, or is deprecated itself':
      successor !== undefined && (target === undefined || target.isDeprecated),
    'its idempotency key has no x-idempotency-hours': Number.isNaN(idempotencyKey?.hours ?? 0),
    '401 is not declared': !responses.has('401'),
    'an error response is no Error': !hasErrorBodies(spec, operation),
    'x-pagination names a key that not every element has':
      pagination !== undefined && !propertiesOf(spec, items).required.includes(pagination.key),
  };
  for (const [fault, isThere] of Object.entries(faults))
    if (isThere) report(`${method} ${path}: ${fault}`);
}

function hasInvalidDefault(spec: Spec, judge: Judge, schema: Schema): boolean {
  const { default: usual } = follow(spec, schema);
  return usual !== undefined && judge(schema, usual) !== undefined;
}

function hasErrorBodies(spec: Spec, { responses }: Operation): boolean {
  // `default` is no number, so it is not below 400.
  const errors = [...responses].filter(([status]) => !(Number(status) < 400));
  return errors.every(([, { schema }]) => {
    const { required } = propertiesOf(spec, schema);
    return ['code', 'message', 'status'].every((name) => required.includes(name));
  });
}
