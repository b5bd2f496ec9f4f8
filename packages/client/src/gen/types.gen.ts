// Generated from spec/openapi.yaml (c161c982b024bd76) by `npm run generate`. Do not edit.

export type { ApiError, CategoryId, ErrorCode, NewPet, Pet, PetId, PetName, PetStatus } from '@petstore/types';
