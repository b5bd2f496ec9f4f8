// D2: the spec is valid, and does not contradict itself. `main.ts` has found it within the supported part.
import { join } from 'node:path';
import type { Schema } from '@petstore/types';
import { listOf as list, recordOf as node } from '../generate/document.ts';
import { problemsOf } from '../generate/refusals.ts';
import { root, textOf } from '../repository.ts';
import { membersOf } from './requests.ts';
import { commonHeaders, differ, type Operation, type Report, type Spec, specFile } from './spec.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const file = join(root, specFile);
  const rules = {
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
  } as const;
  const problems = await problemsOf(spec.text, file, { extends: ['recommended'], rules });
  for (const { line, column, message } of problems)
    report(`${specFile}:${line}:${column}: ${message}`);
  checkCodes(spec, report);
  for (const operation of spec.operations) checkOperation(spec, operation, report);
  const { description } = node(spec.document.info);
  for (const name of commonHeaders)
    if (!String(description).includes(`\`${name}`))
      report(`info.description does not name the header ${name}`);
  differ(report, 'info.version', spec.version, JSON.parse(textOf('spec/package.json')).version);
}

/** Each error code has its status in `x-statuses` and in its description, and each example of an error has the status of its code. */
function checkCodes({ document, statuses, text }: Spec, report: Report): void {
  const { enum: codes, description } = node(node(node(document.components).schemas).ErrorCode);
  differ(
    report,
    'the set of codes in x-statuses',
    Object.keys(statuses).sort(),
    [...list(codes)].sort(),
  );
  for (const [code, status] of Object.entries(statuses))
    if (!new RegExp(`\`${code}\`.*\\(${status}\\b`).test(String(description)))
      report(`the description of ErrorCode does not say that ${code} has the status ${status}`);
  for (const { 1: code = '', 2: status, index } of text.matchAll(
    /example: \{ code: (\w+),.*status: (\d+) \}/g,
  ))
    if (statuses[code] !== Number(status))
      report(
        `${specFile}:${text.slice(0, index).split('\n').length}: the example of ${code} has the status ${status}`,
      );
}

function checkOperation(spec: Spec, operation: Operation, report: Report): void {
  const {
    method,
    path,
    parameters,
    pagination,
    declared,
    responses,
    sunset,
    deprecatedSince,
    successor,
  } = operation;
  const items = spec.follow(responses[200]?.schema).items;
  const isFaulty = ({ schema }: Operation['parameters'][number]) => {
    const { default: usual } = spec.follow(schema);
    return usual !== undefined && spec.faultOf(schema, usual) !== undefined;
  };
  const errors = Object.entries(responses).filter(([status]) => /^[45]|default/.test(status));
  const isError = (schema?: Schema) =>
    ['code', 'message', 'status'].every((name) => membersOf(spec, schema).required.includes(name));
  const faults = {
    'the default of a parameter is invalid': parameters.some(isFaulty),
    'it is deprecated without x-sunset': declared.deprecated && !sunset,
    'x-sunset has passed': Date.parse(String(sunset)) < Date.now(),
    'x-sunset is before x-deprecated-since':
      Date.parse(String(sunset)) <= Date.parse(String(deprecatedSince)),
    'x-successor is deprecated': spec.operations.some(
      ({ id, deprecated }) => id === successor && deprecated,
    ),
    '401 is not declared': !responses[401],
    'an error response is no Error': !errors.every(([, { schema }]) => isError(schema)),
    'x-pagination names a key that not every element has':
      pagination && !membersOf(spec, items).required.includes(pagination.key),
  };
  for (const [fault, isThere] of Object.entries(faults))
    if (isThere) report(`${method} ${path}: ${fault}`);
}
