import type { Operation } from '@petstore/types';
import { runOperation } from '../call/run-operation.ts';
import { argumentsOf, flagsOf } from './field-flags.ts';
import type { CommandName } from './names.ts';
import type { CommandNode, Flag } from './node.ts';
import { callFlags, globalFlags } from './shared-flags.ts';

const dataFlag: Flag = {
  name: 'data',
  short: 'd',
  value: 'json',
  description: 'The body as JSON, or @FILE, or - for stdin. Flags win over what stands there.',
  rules: { type: 'string' },
  completes: 'file',
};

/** How the body is given that is one input. */
const wholeDescriptions = {
  json: 'The body as JSON, or @FILE, or - for stdin.',
  form: 'The body as a JSON object, or @FILE, or - for stdin; it is sent as a form.',
  multipart: 'The body as a JSON object, or @FILE, or - for stdin; it is sent as a form.',
  text: 'The body, or @FILE, or - for stdin.',
  bytes: 'The body, or @FILE, or - for stdin.',
} as const;

function dataFlagOf({ body, fields }: Operation): Flag {
  if (!body?.whole) return dataFlag;
  return {
    ...dataFlag,
    field: 'body',
    description: wholeDescriptions[body.kind],
    ...(fields.body?.required && { required: true }),
  };
}

const allFlag: Flag = {
  name: 'all',
  description: 'All pages, one after the other, as they come.',
  rules: { type: 'boolean' },
};

/** The command of an operation. */
export function operationNode(operation: Operation, name: string, names: Map<Operation, CommandName>): CommandNode {
  const own = [
    ...(operation.body ? [dataFlagOf(operation)] : []),
    ...(operation.pagination ? [allFlag] : []),
    ...callFlags,
  ];
  const args = argumentsOf(operation);
  const fields = flagsOf(
    operation,
    [...own, ...globalFlags].map((flag) => flag.name),
  );
  const notice = noticeOf(operation, names);
  return {
    name,
    summary: operation.summary,
    description: operation.description,
    operation,
    args,
    flags: [...fields, ...own],
    ...(notice && { notice }),
    run: runOperation,
  };
}

/** What the spec says of an operation's future. */
function noticeOf(operation: Operation, names: Map<Operation, CommandName>): string | undefined {
  const { deprecated, sunset, stability } = operation;
  if (!deprecated) return stability && `${stability}: it may still change.`;
  const successor = successorOf(operation, names);
  return `Deprecated${sunset ? `, and may be gone from ${sunset} on` : ''}.${successor ? ` Use '${successor}' instead.` : ''}`;
}

/** The command to use instead of a deprecated one. */
export function successorOf({ successor }: Operation, names: Map<Operation, CommandName>): string | undefined {
  for (const [{ id }, { group, name }] of names) if (id === successor) return `petctl ${group} ${name}`;
  return undefined;
}
