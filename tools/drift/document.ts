// D2: the spec is valid, within the supported part, and does not contradict itself.

import { join } from 'node:path';
import { createConfig, getLineColLocation, lintFromString } from '@redocly/openapi-core';
import { refusalsOf } from '../generate/refusals.ts';
import { list, node } from '../generate/table.ts';
import { root, textOf } from '../repository.ts';
import { membersOf } from './requests.ts';
import { commonHeaders, differ, type Operation, type Report, type Schema, type Spec, specFile } from './spec.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const file = join(root, specFile);
  for (const { line, column, message } of await refusalsOf(spec.text, file))
    report(`${specFile}:${line}:${column}: ${message}`);
  const rules = { 'no-invalid-parameter-examples': 'error', 'no-invalid-schema-examples': 'error' } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  for (const { message, location } of await lintFromString({ source: spec.text, absoluteRef: file, config })) {
    const [{ line, col } = { line: 1, col: 1 }] = location.map((place) => getLineColLocation(place).start);
    report(`${specFile}:${line}:${col}: ${message}`);
  }
  checkCodes(spec, report);
  for (const operation of spec.operations) checkOperation(spec, operation, report);
  const { description } = node(spec.document.info);
  for (const name of commonHeaders)
    if (!String(description).includes(`\`${name}`)) report(`info.description does not name the header ${name}`);
  differ(report, 'info.version', spec.version, JSON.parse(textOf('spec/package.json')).version);
}

/** Each error code has its status in `x-statuses`. */
function checkCodes({ document, statuses }: Spec, report: Report): void {
  const { enum: codes } = node(node(node(document.components).schemas).ErrorCode);
  differ(report, 'the set of codes in x-statuses', Object.keys(statuses).sort(), [...list(codes)].sort());
}

function checkOperation(spec: Spec, operation: Operation, report: Report): void {
  const { method, path, pagination, declared, responses, sunset } = operation;
  const items = spec.follow(responses[200]?.schema as Schema).items;
  const errors = Object.entries(responses).filter(([status]) => /^[45]|default/.test(status));
  const isError = (schema?: Schema) =>
    ['code', 'message', 'status'].every((name) => membersOf(spec, schema).required.includes(name));
  const faults = {
    'it is deprecated without x-sunset': declared.deprecated && !sunset,
    'x-sunset has passed': Date.parse(String(sunset)) < Date.now(),
    '401 is not declared': !responses[401],
    'an error response is no Error': !errors.every(([, { schema }]) => isError(schema as Schema)),
    'x-pagination names a key that not every element has':
      pagination && !membersOf(spec, items).required.includes(pagination.key),
  };
  for (const [fault, isThere] of Object.entries(faults)) if (isThere) report(`${method} ${path}: ${fault}`);
}
