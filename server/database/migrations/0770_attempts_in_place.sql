-- An attempt is written when it begins and changed once when it ends. With room on its page that change touches no index.
alter table operator_attempts set (fillfactor = 70);
