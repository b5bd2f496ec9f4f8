import { type Operation, type OperationId, operations, type Value } from '@petstore/types';

/** A success carried something that the spec does not allow. */
export class UnexpectedDataError extends Error {
  override readonly name = 'UnexpectedDataError';
  readonly operation: OperationId;
  /** Where in the data, and what. */
  readonly faults: readonly string[];

  constructor(operation: OperationId, faults: readonly string[]) {
    super(`${operation} answered what the spec does not allow: ${faults.slice(0, 5).join('; ')}`);
    this.operation = operation;
    this.faults = faults;
  }
}

/**
 * Checks the data of successes against the spec: give it to `petstore` or `connect` as `check`. Members that the spec
 * does not know are let through, because a newer service may send more.
 */
export function checkAnswers(id: OperationId, data: unknown): void {
  const { result }: Operation = operations[id];
  if (!result) return;
  const faults: string[] = [];
  if (!result.list) checkObject('', data, result.members, faults);
  else if (Array.isArray(data)) data.forEach((one, i) => void checkObject(`[${i}]`, one, result.members, faults));
  else faults.push('it is no list');
  if (faults.length > 0) throw new UnexpectedDataError(id, faults);
}

function checkObject(at: string, data: unknown, members: Readonly<Record<string, Value>>, faults: string[]): void {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    faults.push(`${at || 'it'} is no object`);
    return;
  }
  const values = new Map(Object.entries(data));
  for (const [name, rules] of Object.entries(members)) {
    const value = values.get(name);
    if (value === undefined) {
      if (rules.required) faults.push(`${at}.${name} is missing`);
    } else {
      const fault = faultOf(value, rules);
      if (fault) faults.push(`${at}.${name} is ${JSON.stringify(value)}, ${fault}`);
    }
  }
}

/** What is wrong with a value by the rules of the spec, as the end of a sentence; nothing where it is right. */
export function faultOf(value: unknown, rules: Omit<Value, 'required' | 'description'>): string | undefined {
  const { type, choices, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern } = rules;
  const kind = Array.isArray(value)
    ? 'array'
    : Number.isInteger(value) && type === 'integer'
      ? 'integer'
      : typeof value;
  if (value === null || kind !== type) return `no ${type}`;
  if (choices && !choices.includes(value as string | number)) return `none of ${choices.join(', ')}`;
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) return `less than ${minimum}`;
    if (maximum !== undefined && value > maximum) return `more than ${maximum}`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `not more than ${exclusiveMinimum}`;
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `not less than ${exclusiveMaximum}`;
  }
  if (typeof value === 'string') {
    if (minLength !== undefined && [...value].length < minLength) return `shorter than ${minLength}`;
    if (maxLength !== undefined && [...value].length > maxLength) return `longer than ${maxLength}`;
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `not like ${pattern}`;
  }
  return undefined;
}
