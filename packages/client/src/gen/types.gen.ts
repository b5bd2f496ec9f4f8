// Generated from spec/openapi.yaml (4d109738e1696c29) by `npm run generate`. Do not edit.

export type { ApiError, CategoryId, ErrorCode, NewPet, Pet, PetId, PetName, PetStatus } from '@petstore/types';
