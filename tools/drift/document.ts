// D2: the spec is valid, and does not contradict itself. `main.ts` has found it within the supported part.
import { join } from 'node:path';
import type { Schema } from '@petstore/types';
import { problemsOf } from '../generate/refusals.ts';
import { root, textOf } from '../repository.ts';
import type { Cases } from './cases.ts';
import type { Findings } from './findings.ts';
import {
  asNode,
  follow,
  isNode,
  lacksIdempotencyKey,
  type Node,
  type Operation,
  type Parameter,
  type Spec,
  specFile,
  successorOf,
} from './spec.ts';
import type { Values } from './values.ts';

export async function check(spec: Spec, findings: Findings, { values }: Cases): Promise<void> {
  const rules = {
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
  } as const;
  const config = { extends: ['recommended'], rules };
  for (const { line, column, message } of await problemsOf(spec.text, join(root, specFile), config))
    findings.add(`${specFile}:${line}:${column}: ${message}`);
  const { version } = JSON.parse(textOf('spec/package.json'));
  if (version !== spec.version) findings.add(`info.version is ${spec.version}, not ${version}`);
  checkCodes(spec, findings);
  checkExamples(spec, findings);
  checkProse(spec, findings);
  for (const operation of spec.operations)
    for (const fault of faultsIn(operation, spec, values))
      findings.add(`${operation.method} ${operation.path}: ${fault}`);
}

/** The enumeration, the statuses and the description of the error codes agree. */
function checkCodes({ document, errorStatuses }: Spec, findings: Findings): void {
  const schema: Schema = asNode(asNode(asNode(document.components).schemas).ErrorCode);
  for (const code of schema.enum ?? [])
    if (!errorStatuses.has(String(code))) findings.add(`x-statuses of ErrorCode lacks ${code}`);
  const lines = String(schema.description).split('\n');
  for (const [code, status] of errorStatuses) {
    if (!schema.enum?.includes(code))
      findings.add(`x-statuses of ErrorCode has ${code}, which is no code`);
    const line = lines.find((each) => each.includes(`\`${code}\``));
    if (!line?.includes(`(${status}`))
      findings.add(
        `the description of ErrorCode does not say that ${code} has the status ${status}`,
      );
  }
}

/** Each example of an error has the status of its code. */
function checkExamples({ document, errorStatuses }: Spec, findings: Findings): void {
  for (const { code, status } of nodesIn(document)) {
    const wanted = errorStatuses.get(String(code));
    if (wanted !== undefined && typeof status === 'number' && status !== wanted)
      findings.add(`the example of ${code} has the status ${status}, not ${wanted}`);
  }
}

/** What an extension says for programs, the description beside it says for people. */
function checkProse({ document, commonHeaders }: Spec, findings: Findings): void {
  const words = String(asNode(document.info).description).toLowerCase();
  for (const name of commonHeaders.keys())
    if (!words.includes(`\`${name}`))
      findings.add(`info.description does not name the header ${name}`);
  for (const node of nodesIn(document)) {
    const description = String(node.description);
    const missing = statedIn(node).filter((value) => !description.includes(value));
    for (const value of missing)
      findings.add(`the description '${description.slice(0, 40)}…' does not say ${value}`);
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

function faultsIn(operation: Operation, spec: Spec, values: Values): string[] {
  const { parameters, responses, idempotencyKey, isDeprecated, sunset, deprecatedSince } =
    operation;
  const until = Date.parse(sunset ?? '');
  const hasInvalidDefault = ({ schema }: Parameter) => {
    const { default: usual } = follow(spec, schema);
    return usual !== undefined && values.faultIn(schema, usual) !== undefined;
  };
  const faults: Readonly<Record<string, boolean>> = {
    'the default of a parameter is invalid': parameters.some(hasInvalidDefault),
    'it is deprecated without x-sunset': isDeprecated && !sunset,
    'x-sunset has passed': until < Date.now(),
    'x-sunset is before x-deprecated-since': until <= Date.parse(deprecatedSince ?? ''),
    'x-successor is deprecated itself': successorOf(spec, operation)?.isDeprecated === true,
    'its idempotency key has no x-idempotency-hours': Number.isNaN(idempotencyKey?.hours ?? 0),
    'it has no idempotency key, as each POST and PATCH needs': lacksIdempotencyKey(operation),
    '401 is not declared': !responses.has('401'),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}
