// D2: the spec is a valid document, and does not contradict itself.
import { join } from 'node:path';
import { createConfig, getLineColLocation, lintFromString } from '@redocly/openapi-core';
import { root, textOf } from '../repository.ts';
import { commonHeaders, list, type Node, node, type Operation, type Parameter, type Spec, specFile } from './spec.ts';
import { differ, membersOf, type Report } from './values.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const rules = { 'no-invalid-parameter-examples': 'error', 'no-invalid-schema-examples': 'error' } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source: spec.text, absoluteRef: join(root, specFile), config });
  for (const { message, location } of problems) {
    const [{ line, col } = { line: 1, col: 1 }] = location.map((place) => getLineColLocation(place).start);
    report(`${specFile}:${line}:${col}: ${message}`);
  }
  checkErrors(spec, report);
  for (const operation of spec.operations) checkOperation(spec, operation, report);
  const { description, version } = node(spec.document.info);
  for (const name of commonHeaders)
    if (!String(description).includes(`\`${name}`)) report(`info.description does not name the header ${name}`);
  differ(report, 'info.version', version, JSON.parse(textOf('spec/package.json')).version);
}

/** Each error code has its status in `x-statuses` and in its description, and each error response is an Error with a right example. */
function checkErrors(spec: Spec, report: Report): void {
  const { enum: codes, description } = node(node(node(spec.document.components).schemas).ErrorCode);
  differ(report, 'the set of codes in x-statuses', Object.keys(spec.statuses).sort(), [...list(codes)].sort());
  for (const [code, status] of Object.entries(spec.statuses))
    if (!new RegExp(`\`${code}\`.*\\(${status}\\b`).test(String(description)))
      report(`the description of ErrorCode does not say that ${code} has the status ${status}`);
  for (const { method, path, responses } of spec.operations)
    for (const [status, { body }] of Object.entries(responses).filter(([each]) => /^[45]|default/.test(each))) {
      const name = `${method} ${path} ${status}`;
      const { required } = membersOf(spec, body?.schema);
      if (!['code', 'message', 'status'].every((member) => required.includes(member)))
        report(`${name} is not an Error`);
      for (const example of body?.examples.map(node) ?? []) {
        differ(report, `${name}: the status of the example`, example.status, spec.statuses[String(example.code)]);
        if (status !== 'default') differ(report, `${name}: the status of the example`, example.status, Number(status));
      }
    }
}

function checkOperation(spec: Spec, operation: Operation, report: Report): void {
  const { method, path, parameters, pagination, declared, responses } = operation;
  const { deprecated, 'x-deprecated-since': since, 'x-sunset': sunset, 'x-successor': successor } = declared;
  const target = spec.operations.find(({ id }) => id === successor);
  const items = membersOf(spec, spec.follow(responses[200]?.body?.schema).items);
  const inputs = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const hasFault = ({ schema }: Parameter) => {
    const { default: usual } = spec.follow(schema);
    return usual !== undefined && spec.faultOf(schema, usual) !== undefined;
  };
  const faults: Node = {
    'the default of a parameter is invalid': parameters.some(hasFault),
    'it has dates of a deprecation, but is not deprecated': (since || sunset || successor) && !deprecated,
    'it is deprecated without x-sunset': deprecated && !sunset,
    'x-sunset has passed': Date.parse(String(sunset)) < Date.now(),
    'x-sunset is before x-deprecated-since': Date.parse(String(sunset)) <= Date.parse(String(since)),
    'x-successor is not there, or is deprecated': successor && (!target || target.declared.deprecated),
    '401 is not declared': !responses[401],
    'x-pagination names what is no query parameter':
      pagination && ![pagination.cursor, pagination.limit].every((name) => inputs.includes(name)),
    'x-pagination names a key that not every element has': pagination && !items.required.includes(pagination.key),
  };
  for (const [fault, isThere] of Object.entries(faults)) if (isThere) report(`${method} ${path}: ${fault}`);
}
