import { type NewPet, operations, type Pet } from '@petstore/types';
import type { QueryArrayConfig } from 'pg';
import type { Page } from '../store.ts';
import type { Row } from './session.ts';

type Status = NonNullable<NewPet['status']>;

/**
 * Identifiers come from one row, which a commit holds until it is visible. So commits follow one another, in the order of
 * their identifiers, whichever server they come from: whoever sees an animal sees every one before it, no page can miss
 * one that arrives late, and there are no gaps. A sequence gives numbers out before anybody can see what they are for, and
 * what would tell the lowest of those (advisory locks, snapshots, xmin) exists in PostgreSQL alone.
 */
const keepNew = `
  WITH turn AS (UPDATE pet_ids SET last = last + $1 RETURNING last - $1 AS before),
  kept AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT turn.before + new.place, new.name, new.category_id, new.status
    FROM turn, unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS new (name, category_id, status, place)
  )
  SELECT before FROM turn`;

/** Keeps animals under identifiers that they have, if no animal has one so high yet. */
const keepKnown = `
  WITH turn AS (UPDATE pet_ids SET last = $1 WHERE last < $2 RETURNING last),
  kept AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT new.id, new.name, new.category_id, new.status
    FROM turn, unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[]) AS new (id, name, category_id, status)
  )
  SELECT last FROM turn`;

const columns = 'id, name, category_id, status';

/** Adds animals; the answer is the identifier before the first one's. */
export function insertion(pets: readonly NewPet[]): QueryArrayConfig {
  return {
    name: 'keep_new',
    text: keepNew,
    values: [pets.length, ...columnsOf(pets)],
    rowMode: 'array',
  };
}

/** Adds animals that have identifiers, ascending; the answer is empty where one as high is there already. */
export function restoration(pets: readonly Pet[]): QueryArrayConfig {
  const ids = pets.map(({ id }) => id);
  return {
    name: 'keep_known',
    text: keepKnown,
    values: [ids.at(-1), ids[0], ids, ...columnsOf(pets)],
    rowMode: 'array',
  };
}

export function selection(id: number): QueryArrayConfig {
  return {
    name: 'get',
    text: `SELECT ${columns} FROM pets WHERE id = $1`,
    values: [id],
    rowMode: 'array',
  };
}

/** The status stands in the statement itself: only then a partial index serves it, whatever plan is made. */
const lists = Object.fromEntries(
  operations.listPets.fields.status.choices.map((status) => [status, listing(`status = '${status}' AND `)]),
) as Record<Status, string>;

const listEveryOne = listing('');

function listing(condition: string): string {
  return `SELECT ${columns} FROM pets WHERE ${condition}id > $1 ORDER BY id LIMIT $2`;
}

export function page({ after, limit, status }: Page): QueryArrayConfig {
  return {
    name: `list_${status ?? 'all'}`,
    text: status === undefined ? listEveryOne : lists[status],
    values: [after, limit],
    rowMode: 'array',
  };
}

/** Every commit writes this row, so whoever can write it, and is not held up by a missing standby, can add animals. */
export const trial: QueryArrayConfig = { text: 'UPDATE pet_ids SET last = last', rowMode: 'array' };

export const question: QueryArrayConfig = { text: 'SELECT 1', rowMode: 'array' };

export function petOf([id, name, categoryId, status]: Row): Pet {
  return {
    id: Number(id),
    name: String(name),
    categoryId: Number(categoryId),
    ...(isStatus(status) && { status }),
  };
}

const isStatus = (status: unknown): status is Status => typeof status === 'string' && status in lists;

function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status ?? null),
  ];
}
