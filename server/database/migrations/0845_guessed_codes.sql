-- When somebody last entered twenty wrong one-time codes in a row for this person; null once the person has read it.
alter table people add column codes_guessed_at timestamptz;
