import type { Operation } from '@petstore/types';
import { runOperation } from '../call/run-operation.ts';
import { argumentsOf, flagsOf, mayAnswerBytes } from './field-flags.ts';
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
  json: 'The body as JSON, or @FILE, or - for stdin. Flags of its properties win over it.',
  form: 'The body as a JSON object, or @FILE, or - for stdin; it is sent as a form. Flags of its properties win over it.',
  multipart:
    'The body as a JSON object, or @FILE, or - for stdin; it is sent as a form, with "@FILE" for a file. Flags of its properties win over it.',
  text: 'The body, or @FILE, or - for stdin.',
  bytes: 'The body, or @FILE, or - for stdin; @FILE;type=image/png says what it is.',
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

const fileFlag: Flag = {
  name: 'output-file',
  short: 'o',
  value: 'file',
  description: 'Where to write the bytes of the response; to stdout without it, if that is no terminal.',
  rules: { type: 'string' },
  completes: 'file',
};

/** The command of an operation. */
export function operationNode(operation: Operation, name: string, names: Map<Operation, CommandName>): CommandNode {
  const notice = noticeOf(operation, names);
  let flags: readonly Flag[] | undefined;
  return {
    name,
    summary: operation.summary,
    description: operation.description,
    operation,
    args: argumentsOf(operation),
    // Only the command that is called, or shown, needs them.
    get flags() {
      flags ??= allFlagsOf(operation);
      return flags;
    },
    ...(notice && { notice }),
    run: runOperation,
  };
}

function allFlagsOf(operation: Operation): readonly Flag[] {
  const own = [
    ...(operation.body ? [dataFlagOf(operation)] : []),
    ...(operation.pagination ? [allFlag] : []),
    ...(mayAnswerBytes(operation) ? [fileFlag] : []),
    ...callFlags,
  ];
  const taken = [...own, ...globalFlags].map((flag) => flag.name);
  return [...flagsOf(operation, taken), ...own];
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
