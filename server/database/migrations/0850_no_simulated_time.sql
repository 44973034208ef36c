-- Rows carry the time of the database's clock in every installation: no function takes another one.
drop function if exists service_time(timestamptz);
