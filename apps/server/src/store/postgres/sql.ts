import { type NewPet, operations, type Pet } from '@petstore/types';
import type { QueryArrayConfig } from 'pg';
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
  noted AS (
    INSERT INTO pet_commits (writer, number, before) SELECT $5::text, $6::bigint, turn.before FROM turn
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, before = excluded.before, at = excluded.at
    WHERE pet_commits.number < excluded.number
    RETURNING number
  ),
  kept AS (
    INSERT INTO pets (id, name, category_id, status)
    SELECT turn.before + new.place, new.name, new.category_id, new.status
    FROM turn, unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS new (name, category_id, status, place)
  )
  SELECT before, 1 / (SELECT count(*) FROM noted) FROM turn`;

/**
 * Gives a commit up of which nobody heard again, unless it was kept: a row is the answer then. What is still on its way
 * finds its number taken, and divides by zero.
 */
const giveUp = `
  INSERT INTO pet_commits (writer, number) VALUES ($1, $2)
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, before = NULL, at = excluded.at
  WHERE pet_commits.number < excluded.number
  RETURNING number`;

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

/** A commit of one server process; the numbers of a writer only grow. */
export interface CommitName {
  writer: string;
  number: number;
}

/** Adds animals; the answer is the identifier before the first one's. */
export function insertion(pets: readonly NewPet[], { writer, number }: CommitName): QueryArrayConfig {
  return {
    name: 'keep_new',
    text: keepNew,
    values: [pets.length, ...columnsOf(pets), writer, number],
    rowMode: 'array',
  };
}

export function surrender({ writer, number }: CommitName): QueryArrayConfig {
  return { text: giveUp, values: [writer, number], rowMode: 'array' };
}

/** The identifier before the first animal of a commit that was kept; of one that was given up there is none. */
export function keptBefore({ writer, number }: CommitName): QueryArrayConfig {
  return {
    text: 'SELECT before FROM pet_commits WHERE writer = $1 AND number = $2 AND before IS NOT NULL',
    values: [writer, number],
    rowMode: 'array',
  };
}

/** What processes that ended long ago left behind. */
export const sweeping: QueryArrayConfig = {
  text: `DELETE FROM pet_commits WHERE at < now() - interval '7 days'`,
  rowMode: 'array',
};

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
  operations.listPets.fields.status.schema.enum.map((status) => [status, listing(`status = '${status}' AND `)]),
) as Record<Status, string>;

const listEveryOne = listing('');

/** A page ends with the animal whose name brings all names to so many bytes; their JSON has at least as many. */
function listing(condition: string): string {
  return `
    SELECT ${columns} FROM (
      SELECT ${columns}, sum(octet_length(name)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(name) AS before
      FROM (SELECT ${columns} FROM pets WHERE ${condition}id > $1 ORDER BY id LIMIT $2) AS page
    ) AS measured
    WHERE before < $3 ORDER BY id`;
}

export function page({
  after,
  limit,
  status,
  maxBytes = Number.MAX_SAFE_INTEGER,
}: {
  after: number;
  limit: number;
  status?: Status;
  maxBytes?: number;
}): QueryArrayConfig {
  return {
    name: `list_${status ?? 'all'}`,
    text: status === undefined ? listEveryOne : lists[status],
    values: [after, limit, maxBytes],
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
    categoryId: Number.isSafeInteger(Number(categoryId)) ? Number(categoryId) : BigInt(String(categoryId)),
    ...(isStatus(status) && { status }),
  };
}

export const isStatus = (status: unknown): status is Status => typeof status === 'string' && status in lists;

function columnsOf(pets: readonly NewPet[]): unknown[][] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status }) => status ?? null),
  ];
}
